//! Arbitrary JSON as every typed message: what decodes is written as the same message.

#![no_main]

use std::fmt::Debug;

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use mcp_core::{
    ErrorObject, Json, ProgressToken, RequestId, RequestMessage,
    schema::{
        capabilities::{ClientCapabilities, ServerCapabilities},
        content::{ContentBlock, ResourceContents},
        discover::Discover,
        implementation::Implementation,
        initialize::Initialize,
        input::InputRequired,
        logging::{LogLevel, LogMessage},
        progress::{Cancelled, Progress},
        resources::{ListResourceTemplates, ListResources, ReadResource},
        subscriptions::Listen,
        tools::{CallTool, ListTools},
    },
};
use serde::{Serialize, de::DeserializeOwned};

fuzz_target!(|input: &[u8]| {
    let Ok(json) = Json::from_bytes(&Bytes::copy_from_slice(input)) else {
        return;
    };
    request::<CallTool>(&json);
    request::<Discover>(&json);
    request::<Initialize>(&json);
    request::<ListResourceTemplates>(&json);
    request::<ListResources>(&json);
    request::<ListTools>(&json);
    request::<Listen>(&json);
    request::<ReadResource>(&json);

    message::<Cancelled>(&json);
    message::<InputRequired>(&json);
    message::<LogMessage>(&json);
    message::<Progress>(&json);

    message::<ClientCapabilities>(&json);
    message::<ContentBlock>(&json);
    message::<ErrorObject>(&json);
    message::<Implementation>(&json);
    message::<LogLevel>(&json);
    message::<ProgressToken>(&json);
    message::<RequestId>(&json);
    message::<ResourceContents>(&json);
    message::<ServerCapabilities>(&json);
});

fn request<M>(json: &Json)
where
    M: RequestMessage<Result: PartialEq + Debug> + PartialEq + Debug,
{
    message::<M>(json);
    message::<M::Result>(json);
}

fn message<T: DeserializeOwned + Serialize + PartialEq + Debug>(json: &Json) {
    let Ok(decoded) = json.decode::<T>() else {
        return;
    };
    let written = Json::from_value(&decoded)
        .unwrap_or_else(|error| panic!("{decoded:?} cannot be written: {error}"));
    let again: T = written
        .decode()
        .unwrap_or_else(|error| panic!("{written} does not decode again: {error}"));
    assert_eq!(again, decoded, "{written} is another message");
}
