//! Who peers are and what they offer.

use std::collections::BTreeMap;

use proptest::{collection, prelude::*, sample};

use super::{few, icon, opt, progress_token, request_id, settings, text, unknown, uri};
use crate::{
    JsonObject, ProtocolVersion,
    meta::{NotificationMeta, RequestMeta, ResultMeta},
    schema::{
        capabilities::{
            ClientCapabilities, ClientTasks, ElicitationCapability, ListCapability,
            ResourcesCapability, RootsCapability, SamplingCapability, ServerCapabilities,
        },
        implementation::Implementation,
        logging::LogLevel,
        subscriptions::SubscriptionFilter,
    },
};

prop_compose! {
    /// A program.
    pub fn implementation()(
        name in text(),
        version in text(),
        title in opt(text()),
        description in opt(text()),
        website_url in opt(uri()),
        icons in few(icon()),
        extra in unknown(),
    ) -> Implementation {
        Implementation { name, version, title, description, website_url, icons, extra }
    }
}

fn named_settings() -> impl Strategy<Value = BTreeMap<String, JsonObject>> {
    collection::btree_map("com\\.example/[a-z]{1,4}", settings(), 0..3)
}

/// Requests that run as tasks: `methods` of `area`.
fn tasks(area: &'static str, name: &'static str) -> impl Strategy<Value = ClientTasks> {
    let requests = move |settings| {
        let methods = BTreeMap::from([(name.to_owned(), settings)]);
        BTreeMap::from([(area.to_owned(), methods)])
    };
    (opt(settings()), opt(settings()), opt(settings()), unknown()).prop_map(
        move |(list, cancel, settings, extra)| ClientTasks {
            list,
            cancel,
            requests: settings.map(requests),
            extra,
        },
    )
}

prop_compose! {
    /// What a client offers.
    pub fn client_capabilities()(
        roots in opt((opt(any::<bool>()), unknown())),
        sampling in opt((opt(settings()), opt(settings()), unknown())),
        elicitation in opt((opt(settings()), opt(settings()), unknown())),
        extensions in named_settings(),
        experimental in named_settings(),
        tasks in opt(tasks("sampling", "createMessage")),
        extra in unknown(),
    ) -> ClientCapabilities {
        ClientCapabilities {
            roots: roots.map(|(list_changed, extra)| RootsCapability { list_changed, extra }),
            sampling: sampling
                .map(|(context, tools, extra)| SamplingCapability { context, tools, extra }),
            elicitation: elicitation
                .map(|(form, url, extra)| ElicitationCapability { form, url, extra }),
            extensions,
            experimental,
            tasks,
            extra,
        }
    }
}

fn list() -> impl Strategy<Value = Option<ListCapability>> {
    opt(opt(any::<bool>()).prop_map(|list_changed| ListCapability { list_changed }))
}

prop_compose! {
    /// What a server offers.
    pub fn server_capabilities()(
        tools in list(),
        resources in opt((opt(any::<bool>()), opt(any::<bool>()))),
        prompts in list(),
        completions in opt(settings()),
        logging in opt(settings()),
        extensions in named_settings(),
        experimental in named_settings(),
        tasks in opt(tasks("tools", "call")),
        extra in unknown(),
    ) -> ServerCapabilities {
        let resources = resources
            .map(|(list_changed, subscribe)| ResourcesCapability { list_changed, subscribe });
        ServerCapabilities {
            tools, resources, prompts, completions, logging, extensions, experimental, tasks, extra,
        }
    }
}

/// How serious a log message is.
pub fn log_level() -> impl Strategy<Value = LogLevel> {
    use LogLevel::{Alert, Critical, Debug, Emergency, Error, Info, Notice, Warning};
    sample::select(vec![
        Debug, Info, Notice, Warning, Error, Critical, Alert, Emergency,
    ])
}

prop_compose! {
    /// Metadata of a request to a stateless server.
    pub fn request_meta()(
        client_capabilities in client_capabilities(),
        client_info in opt(implementation()),
        log_level in opt(log_level()),
        progress_token in opt(progress_token()),
        extra in unknown(),
    ) -> RequestMeta {
        RequestMeta {
            client_info, log_level, progress_token, extra,
            ..RequestMeta::new(ProtocolVersion::LATEST, client_capabilities)
        }
    }
}

prop_compose! {
    /// Metadata of a notification of a stateless server.
    pub fn notification_meta()(
        subscription_id in opt(request_id()),
        extra in unknown(),
    ) -> NotificationMeta {
        NotificationMeta { subscription_id, extra }
    }
}

prop_compose! {
    /// Metadata of a result of a stateless server.
    pub fn result_meta()(
        server_info in opt(implementation()),
        extra in unknown(),
    ) -> ResultMeta {
        ResultMeta { server_info, extra }
    }
}

prop_compose! {
    /// Which changes a client wants to hear about.
    pub fn subscription_filter()(
        tools_list_changed in any::<bool>(),
        prompts_list_changed in any::<bool>(),
        resources_list_changed in any::<bool>(),
        resource_subscriptions in few(uri()),
        extra in unknown(),
    ) -> SubscriptionFilter {
        SubscriptionFilter {
            tools_list_changed,
            prompts_list_changed,
            resources_list_changed,
            resource_subscriptions,
            extra,
        }
    }
}
