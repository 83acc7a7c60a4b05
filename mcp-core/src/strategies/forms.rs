//! Questions to a person.

use proptest::{collection, prelude::*, sample};
use serde_json::{Number, Value};

use super::{extra, few, object_schema, opt, settings, task_metadata, text, unknown, uri};
use crate::{
    JsonObject,
    schema::elicitation::{
        Elicit, ElicitAction, ElicitResult, FormSchema, PrimitiveSchema, UrlElicitation,
        form::{BooleanSchema, NumberSchema, NumberType, StringFormat, StringSchema},
        select::{
            Choice, NamedSelect, TitledMultiSelect, TitledSelect, UntitledMultiSelect,
            UntitledSelect,
        },
    },
};

type Words = (Option<String>, Option<String>, JsonObject);

/// Title, description and unknown members.
fn words() -> impl Strategy<Value = Words> {
    (opt(text()), opt(text()), unknown())
}

fn length() -> impl Strategy<Value = Option<u64>> {
    opt((0..100u64).boxed())
}

fn string() -> impl Strategy<Value = StringSchema> {
    use StringFormat::{Date, DateTime, Email, Uri};
    let format = opt(sample::select(vec![Email, Uri, Date, DateTime]));
    (words(), length(), length(), format, opt(text())).prop_map(
        |((title, description, extra), min_length, max_length, format, default)| StringSchema {
            title,
            description,
            min_length,
            max_length,
            format,
            default,
            extra,
            ..StringSchema::default()
        },
    )
}

fn number() -> impl Strategy<Value = NumberSchema> {
    let kind = sample::select(vec![NumberType::Number, NumberType::Integer]);
    let bound = || opt(any::<i32>().prop_map(Number::from));
    (words(), kind, bound(), bound(), bound()).prop_map(
        |((title, description, extra), kind, minimum, maximum, default)| NumberSchema {
            title,
            description,
            minimum,
            maximum,
            default,
            extra,
            ..NumberSchema::new(kind)
        },
    )
}

fn boolean() -> impl Strategy<Value = BooleanSchema> {
    (words(), opt(any::<bool>())).prop_map(|((title, description, extra), default)| BooleanSchema {
        title,
        description,
        default,
        extra,
        ..BooleanSchema::default()
    })
}

fn choices() -> impl Strategy<Value = Vec<Choice>> {
    let choice = (text(), text()).prop_map(|(value, title)| Choice::new(value, title));
    collection::vec(choice, 1..3)
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    collection::vec(text(), 1..3)
}

/// A field of a form.
pub fn field() -> BoxedStrategy<PrimitiveSchema> {
    let named = collection::vec((text(), text()), 1..3);
    prop_oneof![
        string().prop_map(PrimitiveSchema::from),
        number().prop_map(PrimitiveSchema::from),
        boolean().prop_map(PrimitiveSchema::from),
        (texts(), words(), opt(text())).prop_map(|(values, words, default)| {
            let (title, description, extra) = words;
            let select = UntitledSelect::new(values);
            UntitledSelect {
                title,
                description,
                default,
                extra,
                ..select
            }
            .into()
        }),
        (choices(), words(), opt(text())).prop_map(|(values, words, default)| {
            let (title, description, extra) = words;
            let select = TitledSelect::new(values);
            TitledSelect {
                title,
                description,
                default,
                extra,
                ..select
            }
            .into()
        }),
        (named, words(), opt(text())).prop_map(|(values, words, default)| {
            let (title, description, extra) = words;
            let select = NamedSelect::new(values);
            NamedSelect {
                title,
                description,
                default,
                extra,
                ..select
            }
            .into()
        }),
        (texts(), words(), length(), opt(few(text()))).prop_map(|(values, words, max, default)| {
            let (title, description, extra) = words;
            let select = UntitledMultiSelect::new(values);
            let max_items = max;
            UntitledMultiSelect {
                title,
                description,
                max_items,
                default,
                extra,
                ..select
            }
            .into()
        }),
        (choices(), words(), length(), opt(few(text()))).prop_map(
            |(values, words, min, default)| {
                let (title, description, extra) = words;
                let select = TitledMultiSelect::new(values);
                let min_items = min;
                TitledMultiSelect {
                    title,
                    description,
                    min_items,
                    default,
                    extra,
                    ..select
                }
                .into()
            }
        ),
    ]
    .boxed()
}

/// A form.
pub fn form_schema() -> impl Strategy<Value = FormSchema> {
    let field = ("[a-z]{1,5}", any::<bool>(), field());
    let dialect = opt(Just(
        "https://json-schema.org/draft/2020-12/schema".to_owned(),
    ));
    (few(field), dialect, unknown()).prop_map(|(fields, dialect, extra)| {
        let empty = FormSchema {
            dialect,
            extra,
            ..FormSchema::default()
        };
        fields
            .into_iter()
            .fold(empty, |form, (name, required, field)| {
                if required {
                    form.required(name, field)
                } else {
                    form.optional(name, field)
                }
            })
    })
}

/// A question with a form.
pub fn elicit_form() -> impl Strategy<Value = Elicit> {
    (text(), form_schema(), opt(task_metadata()), extra()).prop_map(
        |(message, form, task, extra)| {
            let mut elicit = Elicit::form(message, form);
            if let Elicit::Form(form) = &mut elicit {
                (form.task, form.extra) = (task, extra);
            }
            elicit
        },
    )
}

prop_compose! {
    /// A question that is answered on a page, with the id that 2025-11-25 needs.
    pub fn url_elicitation()(
        message in text(),
        url in uri(),
        id in text(),
        task in opt(task_metadata()),
        extra in extra(),
    ) -> UrlElicitation {
        UrlElicitation { task, extra, ..UrlElicitation::new(message, url).id(id) }
    }
}

/// A question to a person.
pub fn elicit() -> impl Strategy<Value = Elicit> {
    prop_oneof![elicit_form(), url_elicitation().prop_map(Elicit::Url)]
}

/// What a person did.
pub fn elicit_result() -> impl Strategy<Value = ElicitResult> {
    let content = settings();
    let action = sample::select(vec![
        ElicitAction::Accept,
        ElicitAction::Decline,
        ElicitAction::Cancel,
    ]);
    (action, opt(content), extra()).prop_map(|(action, content, extra)| ElicitResult {
        content,
        extra,
        ..ElicitResult::without_content(action)
    })
}

/// The schema of a result: of an object, or from 2026-07-28 on of anything.
pub fn output_schema() -> impl Strategy<Value = JsonObject> {
    let list = JsonObject::from_iter([("type".to_owned(), Value::from("array"))]);
    prop_oneof![object_schema(), Just(list)]
}
