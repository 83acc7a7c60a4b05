//! Whole messages of a version, as parameters and results in JSON.

use proptest::{prelude::*, strategy::Union};
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    cache, call_tool, call_tool_result, client_capabilities, complete, complete_result,
    create_message, create_message_result, elicit, elicit_form, elicit_result, few, get_prompt,
    get_prompt_result, implementation, input_required, list_roots_result, listing::of_list,
    log_level, notification_meta, opt, page, progress_token, prompt, request_id, request_meta,
    resource, resource_contents, resource_template, result_meta, server_capabilities, share,
    subscription_filter, task, task_metadata, text, tool, unknown, uri, value,
};
use crate::{
    Json, JsonObject, ProtocolVersion, fields,
    meta::META,
    methods::{self, Kind, Method, Sender},
    schema::{
        discover::DiscoverResult,
        initialize::{Initialize, InitializeResult}, // tidy: era
        logging::{LogMessage, SetLevel},
        progress::{AnyCancelled, Progress, TokenProgress},
    },
};

/// Parameters or a result, as JSON.
pub type AnyJson = BoxedStrategy<Json>;

/// For each request of the version: its method and its parameters, `_meta` included.
pub fn params(version: ProtocolVersion) -> Vec<(&'static str, AnyJson)> {
    of_kind(version, Kind::Request)
        .filter_map(|method| Some((method, request(method.name, version)?)))
        .map(|(method, params)| {
            let name = method.name;
            let params = params.prop_map(move |params| fields::params(name, &params, version));
            let is_inside = method.sender_in(version) == Some(Sender::InsideResult);
            let params = if version.is_stateless() && !is_inside {
                (params, json(request_meta()))
                    .prop_map(|(params, meta)| params.rewrite(&[(META, &meta)], &[]))
                    .boxed()
            } else {
                params.boxed()
            };
            (name, params)
        })
        .collect()
}

/// For each notification of the version: its method and its parameters, `_meta` included.
pub fn notifications(version: ProtocolVersion) -> Vec<(&'static str, AnyJson)> {
    of_kind(version, Kind::Notification)
        .filter_map(|method| Some((method.name, notification(method.name)?)))
        .map(|(name, params)| {
            let meta = json(notification_meta());
            let params = (params, meta).prop_map(move |(params, meta)| {
                let params = fields::params(name, &params, version);
                if version.is_stateless() {
                    params.rewrite(&[(META, &meta)], &[])
                } else {
                    params
                }
            });
            (name, params.boxed())
        })
        .collect()
}

/// For each request of the version: its method and a complete result, with everything that a link
/// adds.
pub fn results(version: ProtocolVersion) -> Vec<(&'static str, AnyJson)> {
    of_kind(version, Kind::Request)
        .filter_map(|method| Some((method, answer(method.name)?)))
        .map(|(method, result)| {
            let name = method.name;
            let is_inside = method.sender_in(version) == Some(Sender::InsideResult);
            let is_stamped = version.is_stateless() && !is_inside;
            let kind = Json::from(json!("complete"));
            let stamped =
                (result, result_meta(), request_id()).prop_map(move |(result, meta, id)| {
                    let result = fields::result(name, &result, version);
                    if !is_stamped {
                        return result;
                    }
                    let mut meta = written(&meta);
                    if name == "subscriptions/listen" {
                        let id = Json::from_value(&id).expect("an id can be written");
                        meta = meta.rewrite(&[(crate::meta::SUBSCRIPTION_ID, &id)], &[]);
                    }
                    result.rewrite(&[("resultType", &kind), (META, &meta)], &[])
                });
            (name, stamped.boxed())
        })
        .collect()
}

/// A result that asks for input, with everything that a link adds.
pub fn asking_result() -> AnyJson {
    let kind = Json::from(json!("input_required"));
    let asking = input_required().prop_map(move |asking| {
        let asked = asking
            .input_requests
            .into_iter()
            .map(|(key, mut question)| {
                let version = ProtocolVersion::LATEST;
                let params = question.params.take();
                question.params = params.map(|p| fields::params(&question.method, &p, version));
                (key, question)
            });
        let input_requests = asked.collect();
        let asking = crate::schema::input::InputRequired {
            input_requests,
            ..asking
        };
        written(&asking).rewrite(&[("resultType", &kind)], &[])
    });
    asking.boxed()
}

fn of_kind(version: ProtocolVersion, kind: Kind) -> impl Iterator<Item = &'static Method> {
    let all = methods::ALL.iter();
    all.filter(move |method| method.kind == kind && method.is_in(version))
}

fn written(value: &impl Serialize) -> Json {
    Json::from_value(value).expect("what is generated can be written")
}

fn json<T: Serialize + std::fmt::Debug>(strategy: impl Strategy<Value = T> + 'static) -> AnyJson {
    strategy.prop_map(|value| written(&value)).boxed()
}

/// The parameters of a method; nothing for a method that is not known here.
fn request(method: &str, version: ProtocolVersion) -> Option<AnyJson> {
    Some(match method {
        "initialize" => json(greeting()), // tidy: era
        "server/discover" | "ping" | "roots/list" => json(unknown()),
        "tools/list"
        | "resources/list"
        | "resources/templates/list"
        | "prompts/list"
        | "tasks/list" => json(page()),
        "tools/call" => called(),
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => about("uri", uri()),
        "prompts/get" => json(get_prompt()),
        "completion/complete" => json(complete()),
        "logging/setLevel" => json(log_level().prop_map(SetLevel::new)),
        "subscriptions/listen" => json(
            subscription_filter()
                .prop_map(|notifications| json!({ "notifications": notifications })),
        ),
        "tasks/get" | "tasks/result" | "tasks/cancel" => about("taskId", text()),
        "sampling/createMessage" => json(create_message()),
        // Pages came later than forms.
        "elicitation/create" if version < ProtocolVersion::V2025_11_25 => json(elicit_form()),
        "elicitation/create" => json(elicit()),
        _ => return None,
    })
}

/// Calls, some of them as tasks where there are tasks.
fn called() -> AnyJson {
    json(
        (call_tool(), opt(task_metadata())).prop_map(|(call, task)| {
            let mut call = crate::message::Open::from(call);
            if let Some(task) = task {
                call.rest.insert("task".into(), json!(task));
            }
            call
        }),
    )
}

/// An object with one text.
fn about(name: &'static str, text: impl Strategy<Value = String> + 'static) -> AnyJson {
    json(text.prop_map(move |text| json!({ name: text })))
}

fn notification(method: &str) -> Option<AnyJson> {
    let progress = (progress_token(), share(), opt(share()), opt(text()));
    let cancelled = (request_id(), opt(text()), unknown());
    Some(match method {
        "notifications/progress" => json(progress.prop_map(|(token, progress, total, message)| {
            let progress = Progress {
                progress,
                total,
                message,
            };
            TokenProgress::new(token, progress)
        })),
        "notifications/cancelled" => json(cancelled.prop_map(|(id, reason, extra)| AnyCancelled {
            request_id: Some(id),
            reason,
            extra,
        })),
        "notifications/message" => json((log_level(), opt(text()), value()).prop_map(
            |(level, logger, data)| LogMessage {
                level,
                logger,
                data,
            },
        )),
        "notifications/resources/updated" => about("uri", uri()),
        "notifications/elicitation/complete" => about("elicitationId", text()),
        "notifications/tasks/status" => json(task()),
        "notifications/subscriptions/acknowledged" => {
            json(subscription_filter().prop_map(|filter| json!({ "notifications": filter })))
        }
        _ => json(unknown()),
    })
}

// tidy: era
fn greeting() -> impl Strategy<Value = Initialize> {
    (client_capabilities(), implementation()).prop_map(|(capabilities, client_info)| {
        // tidy: era
        Initialize {
            protocol_version: ProtocolVersion::V2025_11_25.to_string(),
            capabilities,
            client_info,
        }
    })
}

fn answer(method: &str) -> Option<AnyJson> {
    Some(match method {
        "initialize" => json(introduction()), // tidy: era
        "server/discover" => json(discovered()),
        "tools/list" => list("tools", tool()),
        "resources/list" => list("resources", resource()),
        "resources/templates/list" => list("resourceTemplates", resource_template()),
        "prompts/list" => list("prompts", prompt()),
        "resources/read" => list("contents", resource_contents()),
        "tasks/list" => json(few(task()).prop_map(|tasks| json!({ "tasks": tasks }))),
        "tools/call" => json(call_tool_result()),
        "prompts/get" => json(get_prompt_result()),
        "completion/complete" => json(complete_result()),
        "tasks/get" | "tasks/cancel" => json(task()),
        "sampling/createMessage" => json(create_message_result()),
        "elicitation/create" => json(elicit_result()),
        "roots/list" => json(list_roots_result()),
        _ => json(unknown()),
    })
}

/// A page of a list, or something else that may be reused.
fn list<T: Serialize + std::fmt::Debug + 'static>(
    name: &'static str,
    item: impl Strategy<Value = T> + 'static,
) -> AnyJson {
    let next = if name == "contents" {
        Union::new([Just(None).boxed()])
    } else {
        Union::new([Just(None).boxed(), text().prop_map(Some).boxed()])
    };
    let page = (few(item), next, cache(), unknown());
    json(page.prop_map(
        move |(items, next, (ttl, scope), mut extra)| -> JsonObject {
            extra.extend(of_list([
                (name, written(&items)),
                ("ttlMs", written(&ttl)),
                ("cacheScope", written(&scope)),
            ]));
            if let Some(next) = next {
                extra.insert("nextCursor".into(), Value::from(next));
            }
            extra
        },
    ))
}

fn discovered() -> impl Strategy<Value = DiscoverResult> {
    (server_capabilities(), opt(text()), cache(), unknown()).prop_map(
        |(capabilities, instructions, (ttl_ms, cache_scope), extra)| DiscoverResult {
            supported_versions: vec![ProtocolVersion::LATEST.to_string()],
            capabilities,
            instructions,
            ttl_ms,
            cache_scope,
            meta: None,
            extra,
        },
    )
}

// tidy: era
fn introduction() -> impl Strategy<Value = InitializeResult> {
    (
        server_capabilities(),
        implementation(),
        opt(text()),
        unknown(),
    )
        .prop_map(|(capabilities, server_info, instructions, extra)| {
            // tidy: era
            InitializeResult {
                protocol_version: ProtocolVersion::V2025_11_25.to_string(),
                capabilities,
                server_info,
                instructions,
                extra,
            }
        })
}
