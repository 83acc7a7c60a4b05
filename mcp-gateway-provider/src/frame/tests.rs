use proptest::prelude::*;

use super::*;

const TO_PROVIDER: &Limits = &Limits::TO_PROVIDER;
const TO_GATEWAY: &Limits = &Limits::TO_GATEWAY;

fn json(text: &str) -> Json {
    text.parse().unwrap()
}

/// The text decodes to the frame and the frame encodes to the text.
#[track_caller]
fn check_to_provider(text: &str, frame: &ToProvider) {
    assert_eq!(ToProvider::decode(text, TO_PROVIDER).unwrap(), *frame);
    assert_eq!(frame.encode(TO_PROVIDER).unwrap(), text);
}

#[track_caller]
fn check_to_gateway(text: &str, frame: &ToGateway) {
    assert_eq!(ToGateway::decode(text, TO_GATEWAY).unwrap(), *frame);
    assert_eq!(frame.encode(TO_GATEWAY).unwrap(), text);
}

#[track_caller]
fn check_decodes(text: &str, frame: &ToProvider) {
    assert_eq!(ToProvider::decode(text, TO_PROVIDER).unwrap(), *frame);
}

#[track_caller]
fn check_refused(text: &str, expected: &str) {
    let error = ToProvider::decode(text, TO_PROVIDER).unwrap_err();
    assert_eq!(error.to_string(), expected, "{text}");
}

#[test]
fn hello_ack() {
    check_to_provider(
        r#"{"type":"hello.ack","protocolVersion":"mcp-gtw-provider/1","channelId":"c"}"#,
        &ToProvider::HelloAck {
            protocol_version: Some("mcp-gtw-provider/1".to_owned()),
            channel_id: Some("c".to_owned()),
        },
    );
}

/// G2: any version is accepted, as is none.
#[test]
fn g2_any_protocol_version() {
    for (text, version) in [
        (r#"{"type":"hello.ack"}"#, None),
        (r#"{"type":"hello.ack","protocolVersion":null}"#, None),
        (
            r#"{"type":"hello.ack","protocolVersion":2,"new":[]}"#,
            Some("2".to_owned()),
        ),
    ] {
        let frame = ToProvider::HelloAck {
            protocol_version: version,
            channel_id: None,
        };
        check_decodes(text, &frame);
    }
}

#[test]
fn ack() {
    for (name, registry) in [
        ("tools", Registry::Tools),
        ("resources", Registry::Resources),
        ("resourceTemplates", Registry::ResourceTemplates),
        ("prompts", Registry::Prompts),
    ] {
        check_to_provider(
            &format!(r#"{{"type":"ack","registry":"{name}","count":2}}"#),
            &ToProvider::Ack { registry, count: 2 },
        );
    }
}

#[test]
fn pong_and_ping() {
    check_to_provider(r#"{"type":"pong"}"#, &ToProvider::Pong);
    check_to_gateway(r#"{"type":"ping"}"#, &ToGateway::Ping);
}

#[test]
fn request() {
    check_to_provider(
        r#"{"type":"request","requestId":"5f4d…","method":"tools/call","params":{"name":"add","arguments":{"a":1}}}"#,
        &ToProvider::Request {
            request_id: "5f4d…".to_owned(),
            method: "tools/call".to_owned(),
            params: Some(json(r#"{"name":"add","arguments":{"a":1}}"#)),
        },
    );
}

#[test]
fn cancel() {
    for (text, reason) in [
        (r#"{"type":"cancel","requestId":"r"}"#, None),
        (
            r#"{"type":"cancel","requestId":"r","reason":"too late"}"#,
            Some("too late".to_owned()),
        ),
    ] {
        let request_id = "r".to_owned();
        check_to_provider(text, &ToProvider::Cancel { request_id, reason });
    }
}

#[test]
fn response() {
    for (text, outcome) in [
        (
            r#"{"type":"response","requestId":"c1","result":{"role":"assistant"}}"#,
            Ok(json(r#"{"role":"assistant"}"#)),
        ),
        (
            r#"{"type":"response","requestId":"c1","error":"No MCP client is connected"}"#,
            Err("No MCP client is connected".to_owned()),
        ),
        (
            r#"{"type":"response","requestId":"c1","result":null}"#,
            Ok(json("null")),
        ),
    ] {
        let request_id = "c1".to_owned();
        check_to_provider(
            text,
            &ToProvider::Response {
                request_id,
                outcome,
            },
        );
    }
}

#[test]
fn a_response_may_be_sloppy() {
    for (members, outcome) in [
        ("", Ok(json("null"))),
        (r#","error":null"#, Ok(json("null"))),
        (r#","error":null,"result":1"#, Ok(json("1"))),
        (r#","error":{"code":0}"#, Err(r#"{"code":0}"#.to_owned())),
        (r#","result":1,"error":"x""#, Err("x".to_owned())),
    ] {
        let text = format!(r#"{{"type":"response","requestId":"c1"{members}}}"#);
        let request_id = "c1".to_owned();
        check_decodes(
            &text,
            &ToProvider::Response {
                request_id,
                outcome,
            },
        );
    }
}

#[test]
fn protocol_error() {
    check_to_provider(
        r#"{"type":"protocol.error","message":"Too many prompts: received 129, maximum is 128"}"#,
        &ToProvider::ProtocolError {
            message: "Too many prompts: received 129, maximum is 128".to_owned(),
        },
    );
}

#[test]
fn register() {
    check_to_gateway(
        r#"{"type":"register","registry":"tools","items":[{"name":"add","description":"","inputSchema":{"type":"object"}}]}"#,
        &ToGateway::Register {
            registry: Registry::Tools,
            items: vec![json(
                r#"{"name":"add","description":"","inputSchema":{"type":"object"}}"#,
            )],
        },
    );
    let (registry, items) = (Registry::ResourceTemplates, vec![]);
    check_to_gateway(
        r#"{"type":"register","registry":"resourceTemplates","items":[]}"#,
        &ToGateway::Register { registry, items },
    );
}

#[test]
fn result() {
    for (text, outcome) in [
        (
            r#"{"type":"result","requestId":"5f4d…","result":{"content":[{"type":"text","text":"3"}],"isError":false}}"#,
            Ok(json(
                r#"{"content":[{"type":"text","text":"3"}],"isError":false}"#,
            )),
        ),
        (
            r#"{"type":"result","requestId":"5f4d…","error":"Target is too far away"}"#,
            Err("Target is too far away".to_owned()),
        ),
    ] {
        let request_id = "5f4d…".to_owned();
        check_to_gateway(
            text,
            &ToGateway::Result {
                request_id,
                outcome,
            },
        );
    }
}

#[test]
fn call() {
    check_to_gateway(
        r#"{"type":"call","requestId":"c1","method":"sampling/createMessage","originatingRequestId":"5f4d…","params":{"messages":[],"maxTokens":256}}"#,
        &ToGateway::Call {
            request_id: "c1".to_owned(),
            method: "sampling/createMessage".to_owned(),
            originating_request_id: Some("5f4d…".to_owned()),
            params: Some(json(r#"{"messages":[],"maxTokens":256}"#)),
        },
    );
    // G23: a call outside of a request does not have the key.
    check_to_gateway(
        r#"{"type":"call","requestId":"c2","method":"elicitation/create","params":{"message":"Your name?"}}"#,
        &ToGateway::Call {
            request_id: "c2".to_owned(),
            method: "elicitation/create".to_owned(),
            originating_request_id: None,
            params: Some(json(r#"{"message":"Your name?"}"#)),
        },
    );
}

#[test]
fn notify() {
    for (method, params) in [
        (
            "notifications/progress",
            r#"{"requestId":"5f4d…","progress":0.5,"total":1,"message":"half"}"#,
        ),
        ("notifications/resources/updated", r#"{"uri":"mem://a"}"#),
        (
            "notifications/message",
            r#"{"level":"info","data":"…","logger":"app"}"#,
        ),
    ] {
        check_to_gateway(
            &format!(r#"{{"type":"notify","method":"{method}","params":{params}}}"#),
            &ToGateway::Notify {
                method: method.to_owned(),
                params: Some(json(params)),
            },
        );
    }
}

/// G18: parameters stay text.
#[test]
fn g18_numbers_are_exact() {
    let text = r#"{"type":"request","requestId":"r","method":"m","params":[9007199254740993,18446744073709551615,1.10]}"#;
    let frame = ToProvider::decode(text, TO_PROVIDER).unwrap();
    assert_eq!(frame.encode(TO_PROVIDER).unwrap(), text);
}

/// G37: an unknown frame is kept, whatever its members look like.
#[test]
fn g37_unknown_frames_are_kept() {
    for text in [
        r#"{"type":"welcome"}"#,
        r#"{"count":"many","type":"welcome","requestId":7,"registry":[]}"#,
    ] {
        let ToProvider::Unknown(unknown) = ToProvider::decode(text, TO_PROVIDER).unwrap() else {
            panic!("{text}");
        };
        assert_eq!(
            (unknown.kind(), unknown.frame().as_str()),
            ("welcome", text)
        );
    }
    // A frame of the other direction is as unknown as any.
    let text = r#"{"type":"ping"}"#;
    let frame = ToProvider::decode(text, TO_PROVIDER).unwrap();
    assert!(matches!(frame, ToProvider::Unknown(unknown) if unknown.kind() == "ping"));
}

#[test]
fn g37_malformed_frames_are_typed_errors() {
    for (text, expected) in [
        ("", "frame is not a JSON object"),
        ("[\"pong\"]", "frame is not a JSON object"),
        ("null", "frame is not a JSON object"),
        ("{}", "frame is not a JSON object with a type"),
        ("{\"type\":3}", "frame is not a JSON object with a type"),
        (
            "{\"type\":\"pong\"",
            "frame is not a JSON object with a type",
        ),
        (
            "{\"type\":\"pong\",\"x\":NaN}",
            "frame is not a JSON object with a type",
        ),
        ("{\"type\":\"cancel\"}", "cancel frame has no requestId"),
        (
            "{\"type\":\"cancel\",\"requestId\":1}",
            "cancel frame has a malformed requestId",
        ),
        (
            "{\"type\":\"request\",\"requestId\":\"r\"}",
            "request frame has no method",
        ),
        (
            "{\"type\":\"ack\",\"registry\":\"skills\",\"count\":1}",
            "ack frame has a malformed registry",
        ),
        (
            "{\"type\":\"ack\",\"registry\":\"tools\",\"count\":-1}",
            "ack frame has a malformed count",
        ),
    ] {
        check_refused(text, expected);
    }
}

/// G19, Q7, Q8.
#[test]
fn g19_what_the_gateway_would_not_take_is_not_written() {
    let result = |levels: usize| ToGateway::Result {
        request_id: "r".to_owned(),
        outcome: Ok(json(&("[".repeat(levels) + &"]".repeat(levels)))),
    };
    assert!(result(99).encode(TO_GATEWAY).is_ok());
    let (depth, limit) = (101, 100);
    let too_deep = Err(LimitError::TooDeep { depth, limit });
    assert_eq!(result(100).encode(TO_GATEWAY), too_deep);

    let text = result(1).encode(TO_GATEWAY).unwrap();
    assert!(result(1).encode(&TO_GATEWAY.with_bytes(text.len())).is_ok());
    let (bytes, limit) = (text.len(), text.len() - 1);
    let too_large = Err(LimitError::TooLarge { bytes, limit });
    assert_eq!(result(1).encode(&TO_GATEWAY.with_bytes(limit)), too_large);
}

#[test]
fn a_frame_beyond_the_limit_is_not_looked_at() {
    let limits = TO_PROVIDER.with_bytes(10);
    let error = ToProvider::decode(r#"{"type":"pong"}"#, &limits).unwrap_err();
    assert_eq!(
        error.to_string(),
        "frame of 15 bytes exceeds the limit of 10"
    );
}

#[test]
fn any_depth_can_be_read() {
    let levels = 200_000;
    let deep = "[".repeat(levels) + &"]".repeat(levels);
    let text = format!(r#"{{"type":"notify","method":"m","params":{deep}}}"#);
    assert!(ToGateway::decode(&text, TO_PROVIDER).is_ok());
    assert!(ToProvider::decode(&text, TO_PROVIDER).is_ok());
}

fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<u64>().prop_map(Into::into),
        any::<String>().prop_map(Into::into),
    ];
    let tree = leaf.prop_recursive(4, 24, 4, |inner| {
        let pairs = proptest::collection::vec((any::<String>(), inner.clone()), 0..4);
        prop_oneof![
            proptest::collection::vec(inner, 0..4).prop_map(serde_json::Value::from),
            pairs.prop_map(|pairs| serde_json::Value::Object(pairs.into_iter().collect())),
        ]
    });
    tree.prop_map(Json::from)
}

fn any_outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![any_json().prop_map(Ok), any::<String>().prop_map(Err)]
}

fn any_registry() -> impl Strategy<Value = Registry> {
    proptest::sample::select(&Registry::ALL[..])
}

fn any_unknown() -> impl Strategy<Value = Unknown> {
    ("x[a-z.]{0,8}", any_json()).prop_map(|(kind, count)| Unknown {
        frame: json(&format!(r#"{{"type":"{kind}","count":{count}}}"#)),
        kind,
    })
}

fn any_to_provider() -> impl Strategy<Value = ToProvider> {
    let text = any::<String>;
    let maybe = || proptest::option::of(any::<String>());
    let params = proptest::option::of(any_json());
    prop_oneof![
        (maybe(), maybe()).prop_map(|(protocol_version, channel_id)| ToProvider::HelloAck {
            protocol_version,
            channel_id,
        }),
        (any_registry(), any::<u64>())
            .prop_map(|(registry, count)| ToProvider::Ack { registry, count }),
        Just(ToProvider::Pong),
        (text(), text(), params).prop_map(|(request_id, method, params)| ToProvider::Request {
            request_id,
            method,
            params,
        }),
        (text(), maybe())
            .prop_map(|(request_id, reason)| ToProvider::Cancel { request_id, reason }),
        (text(), any_outcome()).prop_map(|(request_id, outcome)| ToProvider::Response {
            request_id,
            outcome
        }),
        text().prop_map(|message| ToProvider::ProtocolError { message }),
        any_unknown().prop_map(ToProvider::Unknown),
    ]
}

fn any_to_gateway() -> impl Strategy<Value = ToGateway> {
    let text = any::<String>;
    let maybe = || proptest::option::of(any::<String>());
    let params = || proptest::option::of(any_json());
    let items = proptest::collection::vec(any_json(), 0..4);
    prop_oneof![
        (any_registry(), items)
            .prop_map(|(registry, items)| ToGateway::Register { registry, items }),
        (text(), any_outcome()).prop_map(|(request_id, outcome)| ToGateway::Result {
            request_id,
            outcome
        }),
        (text(), text(), maybe(), params()).prop_map(
            |(request_id, method, originating_request_id, params)| ToGateway::Call {
                request_id,
                method,
                originating_request_id,
                params,
            }
        ),
        (text(), params()).prop_map(|(method, params)| ToGateway::Notify { method, params }),
        Just(ToGateway::Ping),
        any_unknown().prop_map(ToGateway::Unknown),
    ]
}

proptest! {
    #[test]
    fn frames_to_the_provider_survive(frame in any_to_provider()) {
        let text = frame.encode(TO_PROVIDER).unwrap();
        prop_assert_eq!(ToProvider::decode(&text, TO_PROVIDER).unwrap(), frame);
    }

    #[test]
    fn frames_to_the_gateway_survive(frame in any_to_gateway()) {
        let text = frame.encode(TO_GATEWAY).unwrap();
        prop_assert_eq!(ToGateway::decode(&text, TO_GATEWAY).unwrap(), frame);
    }

    #[test]
    fn no_text_panics(text in any::<String>()) {
        let _ = ToProvider::decode(&text, TO_PROVIDER);
        let _ = ToGateway::decode(&text, TO_GATEWAY);
    }

    #[test]
    fn no_object_panics(
        kind in proptest::sample::select(&["hello.ack", "ack", "request", "response", "register", "call"][..]),
        members in proptest::collection::btree_map(
            proptest::sample::select(&["requestId", "method", "params", "result", "error", "registry", "items", "count"][..]),
            any_json(),
            0..8,
        ),
    ) {
        let mut text = format!(r#"{{"type":"{kind}""#);
        for (name, value) in members {
            text += &format!(r#","{name}":{value}"#);
        }
        text.push('}');
        let _ = ToProvider::decode(&text, TO_PROVIDER);
        let _ = ToGateway::decode(&text, TO_GATEWAY);
    }
}
