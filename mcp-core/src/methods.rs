//! Which version knows which method, and who sends it (types.md, section 2).
//!
//! ```
//! use mcp_core::{ProtocolVersion, methods};
//!
//! let ping = methods::find("ping").unwrap();
//! assert!(ping.is_in(ProtocolVersion::V2025_11_25));
//! assert!(!ping.is_in(ProtocolVersion::LATEST));
//! assert!(methods::find("clock/now").is_none());
//! ```

use crate::{ErrorObject, ProtocolVersion, version::Span};

/// A method of the core protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Method {
    /// Its name on the wire.
    pub name: &'static str,
    /// Whether it wants an answer.
    pub kind: Kind,
    /// Which versions have it.
    pub versions: Span,
    /// Who sends it.
    pub sender: Sender,
    /// Versions in which somebody else sends it, in another way.
    change: Option<(Span, Sender)>,
}

/// Whether a method wants an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It does.
    Request,
    /// It does not.
    Notification,
}

/// Who sends a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sender {
    /// The client.
    Client,
    /// The server.
    Server,
    /// Either.
    Both,
    /// The server, inside a result that asks for input; never as a message of its own.
    InsideResult,
}

impl Method {
    /// Whether a version has it at all.
    pub fn is_in(&self, version: ProtocolVersion) -> bool {
        self.versions.contains(version)
    }

    /// Who sends it in a version; nothing when the version does not have it.
    pub fn sender_in(&self, version: ProtocolVersion) -> Option<Sender> {
        let changed = self.change.filter(|(span, _)| span.contains(version));
        self.is_in(version)
            .then(|| changed.map_or(self.sender, |(_, sender)| sender))
    }

    /// Whether a client may send it as a message of its own in this version.
    pub fn is_from_client(&self, version: ProtocolVersion) -> bool {
        matches!(self.sender_in(version), Some(Sender::Client | Sender::Both))
    }

    /// Whether a server may send it as a message of its own in this version.
    pub fn is_from_server(&self, version: ProtocolVersion) -> bool {
        matches!(self.sender_in(version), Some(Sender::Server | Sender::Both))
    }
}

/// The method of that name, in whatever version.
pub fn find(name: &str) -> Option<&'static Method> {
    ALL.iter().find(|method| method.name == name)
}

/// The answer to a request whose method belongs to the protocol, but not to this version. Nothing
/// when the version has the method, and when no version has: then it may be an extension's.
pub fn unknown_in(name: &str, version: ProtocolVersion) -> Option<ErrorObject> {
    find(name)
        .filter(|method| !method.is_in(version))
        .map(|_| ErrorObject::method_not_found(name))
}

const fn method(kind: Kind, name: &'static str, sender: Sender) -> Method {
    Method {
        name,
        kind,
        versions: Span::ALWAYS,
        sender,
        change: None,
    }
}

const fn request(name: &'static str, sender: Sender) -> Method {
    method(Kind::Request, name, sender)
}

const fn notification(name: &'static str, sender: Sender) -> Method {
    method(Kind::Notification, name, sender)
}

impl Method {
    const fn span(self, versions: Span) -> Self {
        Self { versions, ..self }
    }

    const fn changed(self, versions: Span, sender: Sender) -> Self {
        Self {
            change: Some((versions, sender)),
            ..self
        }
    }
}

use ProtocolVersion::{V2025_06_18, V2025_11_25, V2026_07_28};
use Sender::{Both, Client, InsideResult, Server};

const BEFORE_STATELESS: Span = Span::until(V2025_11_25);
const STATELESS: Span = Span::since(V2026_07_28);
const ONLY_2025_11: Span = Span::only(V2025_11_25);

/// Every method of every version.
pub const ALL: &[Method] = &[
    request("initialize", Client).span(BEFORE_STATELESS), // tidy: era
    notification("notifications/initialized", Client).span(BEFORE_STATELESS), // tidy: era
    request("server/discover", Client).span(STATELESS),
    request("ping", Both).span(BEFORE_STATELESS),
    request("tools/list", Client),
    request("tools/call", Client),
    request("resources/list", Client),
    request("resources/templates/list", Client),
    request("resources/read", Client),
    request("resources/subscribe", Client).span(BEFORE_STATELESS),
    request("resources/unsubscribe", Client).span(BEFORE_STATELESS),
    request("prompts/list", Client),
    request("prompts/get", Client),
    request("completion/complete", Client),
    request("logging/setLevel", Client).span(BEFORE_STATELESS),
    request("subscriptions/listen", Client).span(STATELESS),
    request("tasks/get", Both).span(ONLY_2025_11),
    request("tasks/result", Both).span(ONLY_2025_11),
    request("tasks/list", Both).span(ONLY_2025_11),
    request("tasks/cancel", Both).span(ONLY_2025_11),
    request("sampling/createMessage", Server).changed(STATELESS, InsideResult),
    request("elicitation/create", Server)
        .span(Span::since(V2025_06_18))
        .changed(STATELESS, InsideResult),
    request("roots/list", Server).changed(STATELESS, InsideResult),
    notification("notifications/subscriptions/acknowledged", Server).span(STATELESS),
    notification("notifications/cancelled", Both),
    notification("notifications/progress", Both).changed(STATELESS, Server),
    notification("notifications/message", Server),
    notification("notifications/resources/updated", Server),
    notification("notifications/resources/list_changed", Server),
    notification("notifications/tools/list_changed", Server),
    notification("notifications/prompts/list_changed", Server),
    notification("notifications/roots/list_changed", Client).span(BEFORE_STATELESS),
    notification("notifications/elicitation/complete", Server).span(ONLY_2025_11),
    notification("notifications/tasks/status", Both).span(ONLY_2025_11),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        NotificationMessage, RequestMessage,
        schema::{
            completion::Complete,
            discover::Discover,
            elicitation::{Elicit, ElicitationComplete},
            initialize::{INITIALIZED, Initialize},
            logging::{LogMessage, SetLevel},
            notices,
            ping::Ping,
            progress::{Cancelled, TokenProgress},
            prompts::{GetPrompt, ListPrompts},
            resources as r,
            roots::ListRoots,
            sampling::CreateMessage,
            subscriptions::{Acknowledged, Listen},
            tasks as t,
            tools::{CallTool, ListTools},
        },
    };

    #[track_caller]
    fn check(name: &str, senders: [&str; 5]) {
        let method = find(name).unwrap();
        let found = ProtocolVersion::ALL
            .iter()
            .map(|version| match method.sender_in(*version) {
                None => "",
                Some(Client) => "C",
                Some(Server) => "S",
                Some(Both) => "CS",
                Some(InsideResult) => "i",
            });
        assert_eq!(found.collect::<Vec<_>>(), senders);
    }

    #[test]
    fn types_2_senders_by_version() {
        check("initialize", ["C", "C", "C", "C", ""]);
        check("server/discover", ["", "", "", "", "C"]);
        check("tools/call", ["C"; 5]);
        check("tasks/get", ["", "", "", "CS", ""]);
        check("sampling/createMessage", ["S", "S", "S", "S", "i"]);
        check("elicitation/create", ["", "", "S", "S", "i"]);
        check("notifications/progress", ["CS", "CS", "CS", "CS", "S"]);
        check("notifications/elicitation/complete", ["", "", "", "S", ""]);
    }

    #[test]
    fn a_method_of_another_version_is_not_found() {
        let code = |name, version| unknown_in(name, version).map(|error| error.code);
        assert_eq!(code("ping", V2026_07_28), Some(-32601));
        assert_eq!(code("ping", V2025_11_25), None);
        assert_eq!(code("clock/now", V2026_07_28), None);
    }

    #[test]
    fn server_requests_are_no_messages_of_their_own_any_longer() {
        let roots = find("roots/list").unwrap();
        assert!(roots.is_from_server(V2025_11_25) && !roots.is_from_server(V2026_07_28));
        let progress = find("notifications/progress").unwrap();
        assert!(progress.is_from_client(V2025_11_25) && !progress.is_from_client(V2026_07_28));
    }

    #[test]
    fn every_method_has_a_type() {
        let typed = [
            Initialize::METHOD,
            INITIALIZED,
            Discover::METHOD,
            Ping::METHOD,
            ListTools::METHOD,
            CallTool::METHOD,
            r::ListResources::METHOD,
            r::ListResourceTemplates::METHOD,
            r::ReadResource::METHOD,
            r::Subscribe::METHOD,
            r::Unsubscribe::METHOD,
            ListPrompts::METHOD,
            GetPrompt::METHOD,
            Complete::METHOD,
            SetLevel::METHOD,
            Listen::METHOD,
            t::GetTask::METHOD,
            t::GetTaskPayload::METHOD,
            t::ListTasks::METHOD,
            t::CancelTask::METHOD,
            CreateMessage::METHOD,
            Elicit::METHOD,
            ListRoots::METHOD,
            Acknowledged::METHOD,
            Cancelled::METHOD,
            TokenProgress::METHOD,
            LogMessage::METHOD,
            r::ResourceUpdated::METHOD,
            notices::ResourceListChanged::METHOD,
            notices::ToolListChanged::METHOD,
            notices::PromptListChanged::METHOD,
            notices::RootsListChanged::METHOD,
            ElicitationComplete::METHOD,
            t::Task::METHOD,
        ];
        let known: Vec<_> = ALL.iter().map(|method| method.name).collect();
        assert_eq!(typed.as_slice(), known);
    }
}
