use std::fmt::Debug;

use serde::{Serialize, de::DeserializeOwned};

use super::*;
use crate::{Json, ProtocolVersion, schema};

/// Decoding what was encoded gives the same value.
#[track_caller]
fn same<T: Serialize + DeserializeOwned + PartialEq + Debug>(
    value: &T,
) -> Result<(), TestCaseError> {
    let json = Json::from_value(value).expect("what is generated can be written");
    match json.decode::<T>() {
        Ok(again) => prop_assert_eq!(&again, value),
        Err(error) => return Err(TestCaseError::fail(format!("{error} in {json}"))),
    }
    Ok(())
}

macro_rules! identity {
    ($($name:ident: $strategy:expr;)+) => {
        proptest! {
            #![proptest_config(ProptestConfig::with_cases(64))]
            $(
                #[test]
                fn $name(value in $strategy) {
                    same(&value)?;
                }
            )+
        }
    };
}

identity! {
    an_icon_is_decoded_as_it_was: icon();
    annotations_are_decoded_as_they_were: annotations();
    a_resource_is_decoded_as_it_was: resource();
    a_template_is_decoded_as_it_was: resource_template();
    resource_contents_are_decoded_as_they_were: resource_contents();
    a_block_is_decoded_as_it_was: content_block();
    a_block_of_a_model_is_decoded_as_it_was: sampling_block();
    a_message_of_a_model_is_decoded_as_it_was: sampling_message();
    a_tool_is_decoded_as_it_was: tool();
    a_call_is_decoded_as_it_was: call_tool();
    a_call_result_is_decoded_as_it_was: call_tool_result();
    a_prompt_is_decoded_as_it_was: prompt();
    a_prompt_request_is_decoded_as_it_was: get_prompt();
    a_prompt_result_is_decoded_as_it_was: get_prompt_result();
    a_completion_is_decoded_as_it_was: complete();
    a_completion_result_is_decoded_as_it_was: complete_result();
    a_model_request_is_decoded_as_it_was: create_message();
    a_model_result_is_decoded_as_it_was: create_message_result();
    a_question_is_decoded_as_it_was: elicit();
    a_field_is_decoded_as_it_was: field();
    an_elicitation_result_is_decoded_as_it_was: elicit_result();
    roots_are_decoded_as_they_were: list_roots_result();
    a_task_is_decoded_as_it_was: task();
    an_implementation_is_decoded_as_it_was: implementation();
    client_capabilities_are_decoded_as_they_were: client_capabilities();
    server_capabilities_are_decoded_as_they_were: server_capabilities();
    a_filter_is_decoded_as_it_was: subscription_filter();
    request_metadata_is_decoded_as_it_was: request_meta();
    notification_metadata_is_decoded_as_it_was: notification_meta();
    result_metadata_is_decoded_as_it_was: result_meta();
    questions_are_decoded_as_they_were: input_required();
    an_id_is_decoded_as_it_was: request_id();
}

/// A generated message with one of its members replaced by arbitrary JSON.
fn disturbed() -> impl Strategy<Value = Value> {
    let version = sample::select(ProtocolVersion::ALL);
    let message = version.prop_flat_map(|version| {
        let all = [params(version), notifications(version), results(version)].concat();
        proptest::strategy::Union::new(all.into_iter().map(|(_, json)| json))
    });
    (message, any::<sample::Index>(), value()).prop_map(|(json, at, value)| {
        let mut message: Value = json.decode().expect("it was written here");
        if let Some(object) = message.as_object_mut()
            && !object.is_empty()
        {
            let name = object.keys().nth(at.index(object.len())).cloned();
            object.extend(name.map(|name| (name, value)));
        }
        message
    })
}

/// Decoding ends without a panic, and what decodes is written as the same value.
fn tried<T: Serialize + DeserializeOwned + PartialEq + Debug>(
    value: &Value,
) -> Result<(), TestCaseError> {
    serde_json::from_value::<T>(value.clone()).map_or(Ok(()), |decoded| same(&decoded))
}

proptest! {
    #[test]
    fn decoding_never_panics(message in disturbed()) {
        tried::<schema::tools::ListToolsResult>(&message)?;
        tried::<schema::tools::CallTool>(&message)?;
        tried::<schema::tools::CallToolResult>(&message)?;
        tried::<schema::resources::ListResourcesResult>(&message)?;
        tried::<schema::resources::ListResourceTemplatesResult>(&message)?;
        tried::<schema::resources::ReadResourceResult>(&message)?;
        tried::<schema::prompts::ListPromptsResult>(&message)?;
        tried::<schema::prompts::GetPrompt>(&message)?;
        tried::<schema::prompts::GetPromptResult>(&message)?;
        tried::<schema::completion::Complete>(&message)?;
        tried::<schema::completion::CompleteResult>(&message)?;
        tried::<schema::sampling::CreateMessage>(&message)?;
        tried::<schema::sampling::CreateMessageResult>(&message)?;
        tried::<schema::elicitation::Elicit>(&message)?;
        tried::<schema::elicitation::ElicitResult>(&message)?;
        tried::<schema::roots::ListRootsResult>(&message)?;
        tried::<schema::tasks::Task>(&message)?;
        tried::<schema::discover::DiscoverResult>(&message)?;
        tried::<schema::input::InputRequired>(&message)?;
        tried::<schema::subscriptions::Acknowledged>(&message)?;
        tried::<schema::progress::TokenProgress>(&message)?;
        tried::<schema::logging::LogMessage>(&message)?;
    }

    #[test]
    fn what_is_left_for_a_version_is_left_again(
        version in sample::select(ProtocolVersion::ALL),
        tool in tool(),
        result in call_tool_result(),
    ) {
        let tools = Json::from(json!({ "tools": [tool] }));
        let result = Json::from(json!(result));
        for (method, json) in [("tools/list", tools), ("tools/call", result)] {
            let once = crate::fields::result(method, &json, version);
            prop_assert_eq!(&crate::fields::result(method, &once, version), &once);
        }
    }
}
