//! Content, and what describes it.

use proptest::{prelude::*, sample};

use super::{extra, few, opt, share, text, unknown, uri, value};
use crate::{
    JsonObject,
    schema::{
        annotations::{Annotations, Role},
        content::{ContentBlock, ResourceContents},
        icons::{Icon, Theme},
        resources::{Resource, ResourceTemplate},
        sampling::{
            SamplingBlock, SamplingBlocks, SamplingMessage, ToolResultContent, ToolUseContent,
        },
    },
};

/// Standard base64 with padding.
pub fn base64() -> impl Strategy<Value = String> {
    "([A-Za-z0-9+/]{4}){0,3}(AA==)?"
}

/// A media type.
pub fn mime_type() -> impl Strategy<Value = String> {
    "(text|image|audio)/[a-z]{2,5}"
}

/// Who speaks.
pub fn role() -> impl Strategy<Value = Role> {
    sample::select(vec![Role::User, Role::Assistant])
}

prop_compose! {
    /// An icon.
    pub fn icon()(
        src in uri(),
        mime_type in opt(mime_type()),
        sizes in few("[1-9]{2}x[1-9]{2}"),
        theme in opt(sample::select(vec![Theme::Light, Theme::Dark])),
        extra in unknown(),
    ) -> Icon {
        Icon { src, mime_type, sizes, theme, extra }
    }
}

prop_compose! {
    /// Annotations.
    pub fn annotations()(
        audience in few(role()),
        priority in opt(share()),
        last_modified in opt("20[0-9]{2}-01-01T00:00:00Z"),
        extra in unknown(),
    ) -> Annotations {
        Annotations { audience, priority, last_modified, extra }
    }
}

prop_compose! {
    /// A resource.
    pub fn resource()(
        uri in uri(),
        name in text(),
        title in opt(text()),
        description in opt(text()),
        mime_type in opt(mime_type()),
        size in opt(any::<u32>().prop_map(u64::from)),
        annotations in opt(annotations()),
        icons in few(icon()),
        extra in extra(),
    ) -> Resource {
        Resource { uri, name, title, description, mime_type, size, annotations, icons, extra }
    }
}

prop_compose! {
    /// The template of resources.
    pub fn resource_template()(
        uri_template in "file:///[a-z]{1,4}/\\{[a-z]{1,4}\\}",
        name in text(),
        title in opt(text()),
        description in opt(text()),
        mime_type in opt(mime_type()),
        annotations in opt(annotations()),
        icons in few(icon()),
        extra in extra(),
    ) -> ResourceTemplate {
        ResourceTemplate {
            uri_template, name, title, description, mime_type, annotations, icons, extra,
        }
    }
}

/// What a resource holds.
pub fn resource_contents() -> impl Strategy<Value = ResourceContents> {
    let contents = prop_oneof![
        (uri(), text()).prop_map(|(uri, text)| ResourceContents::text(uri, text)),
        (uri(), mime_type(), base64())
            .prop_map(|(uri, kind, data)| ResourceContents::blob(uri, kind, data)),
    ];
    (contents, opt(mime_type()), extra()).prop_map(|(contents, mime_type, extra)| {
        ResourceContents {
            mime_type,
            extra,
            ..contents
        }
    })
}

/// A block of content of any type that the protocol has.
pub fn content_block() -> BoxedStrategy<ContentBlock> {
    let block = prop_oneof![
        text().prop_map(ContentBlock::text),
        (base64(), mime_type()).prop_map(|(data, kind)| ContentBlock::image(data, kind)),
        (base64(), mime_type()).prop_map(|(data, kind)| ContentBlock::audio(data, kind)),
        resource_contents().prop_map(ContentBlock::resource),
        resource().prop_map(ContentBlock::link),
    ];
    (block, opt(annotations()), extra())
        .prop_map(|(block, annotations, extra)| dressed(block, annotations, extra))
        .boxed()
}

fn dressed(
    mut block: ContentBlock,
    annotations: Option<Annotations>,
    extra: JsonObject,
) -> ContentBlock {
    match &mut block {
        ContentBlock::Text(text) => (text.annotations, text.extra) = (annotations, extra),
        ContentBlock::Media(media) => (media.annotations, media.extra) = (annotations, extra),
        ContentBlock::Resource(inner) => (inner.annotations, inner.extra) = (annotations, extra),
        // A link brings its own.
        ContentBlock::Link(_) | ContentBlock::Other(_) => {}
    }
    block
}

prop_compose! {
    /// The call of a tool by a model.
    pub fn tool_use()(
        id in text(),
        name in text(),
        input in super::settings(),
        extra in extra(),
    ) -> ToolUseContent {
        ToolUseContent { extra, ..ToolUseContent::new(id, name, input) }
    }
}

prop_compose! {
    /// What a tool answered a model.
    pub fn tool_result()(
        id in text(),
        content in few(content_block()),
        structured_content in opt(value()),
        is_error in opt(any::<bool>()),
        extra in extra(),
    ) -> ToolResultContent {
        let result = ToolResultContent::new(id, content);
        ToolResultContent { structured_content, is_error, extra, ..result }
    }
}

/// A piece of a conversation with a model.
pub fn sampling_block() -> BoxedStrategy<SamplingBlock> {
    let plain = content_block().prop_filter_map("no block of a model", |block| match block {
        ContentBlock::Text(text) => Some(SamplingBlock::Text(text)),
        ContentBlock::Media(media) => Some(SamplingBlock::Media(media)),
        _ => None,
    });
    prop_oneof![
        3 => plain,
        1 => tool_use().prop_map(SamplingBlock::ToolUse),
        1 => tool_result().prop_map(SamplingBlock::ToolResult),
    ]
    .boxed()
}

/// One block or some.
pub fn sampling_blocks() -> impl Strategy<Value = SamplingBlocks> {
    prop_oneof![
        sampling_block().prop_map(|block| SamplingBlocks::One(Box::new(block))),
        few(sampling_block()).prop_map(SamplingBlocks::Many),
    ]
}

prop_compose! {
    /// A message of a conversation with a model.
    pub fn sampling_message()(
        role in role(),
        content in sampling_blocks(),
        extra in extra(),
    ) -> SamplingMessage {
        SamplingMessage { role, content, extra }
    }
}
