//! A server to be measured from outside.
//!
//! `probe-server stdio | http --port N | unix --path P`

use std::{convert::Infallible, net::Ipv4Addr, time::Duration};

use mcp_core::schema::tools::{CallToolResult, LIST_CHANGED};
use mcp_ext::{
    Cx, Notification, Server,
    interim::NobodyLeft,
    schemars::{self, JsonSchema},
    server::tool,
};
use mcp_transport::{http, stdio, unix};
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Text {
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Wait {
    ms: u64,
}

#[derive(Deserialize, JsonSchema)]
struct Size {
    bytes: usize,
}

#[derive(Deserialize, JsonSchema)]
struct Ticks {
    count: u32,
    ms: u64,
}

#[derive(Deserialize, JsonSchema)]
struct Reason {
    message: String,
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

fn server() -> Result<Server, mcp_ext::server::BuildError> {
    Server::builder("probe-server", env!("CARGO_PKG_VERSION"))
        .tool(tool(
            "echo",
            "Returns the text.",
            async |_: Cx, Text { text }: Text| Ok::<_, Infallible>(text),
        ))
        .tool(tool("slow", "Waits.", async |_: Cx, Wait { ms }: Wait| {
            tokio::time::sleep(Duration::from_millis(ms)).await;
            Ok::<_, Infallible>("done")
        }))
        .tool(tool(
            "big",
            "Returns many x.",
            async |_: Cx, Size { bytes }: Size| Ok::<_, Infallible>("x".repeat(bytes)),
        ))
        .tool(tool(
            "tick",
            "Sends progress.",
            async |cx: Cx, Ticks { count, ms }: Ticks| {
                for n in 1..=count {
                    tokio::time::sleep(Duration::from_millis(ms)).await;
                    cx.progress(n.into(), Some(count.into()), None).await?;
                }
                Ok::<_, NobodyLeft>("done")
            },
        ))
        .tool(tool(
            "notify",
            "Announces a change.",
            async |cx: Cx, _: Nothing| {
                cx.announce(&Notification::new(LIST_CHANGED, None));
                Ok::<_, Infallible>("done")
            },
        ))
        .tool(tool(
            "fail",
            "Fails.",
            async |_: Cx, Reason { message }: Reason| {
                Ok::<_, Infallible>(CallToolResult::error(message))
            },
        ))
        .tool(tool("panic", "Panics.", async |_: Cx, nothing: Nothing| {
            let Nothing {} = nothing;
            if true {
                panic!("as asked");
            }
            Ok::<_, Infallible>("never")
        }))
        .build()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["stdio"] => stdio::serve(server()?, Default::default()).await?,
        ["http", "--port", port] => {
            let address = (Ipv4Addr::LOCALHOST, port.parse()?);
            let listener = tokio::net::TcpListener::bind(address).await?;
            http::server::serve(server()?, listener, Default::default()).await?;
        }
        ["unix", "--path", path] => {
            let listener = tokio::net::UnixListener::bind(path)?;
            unix::serve(server()?, listener, Default::default()).await?;
        }
        _ => return Err("usage: probe-server stdio | http --port N | unix --path P".into()),
    }
    Ok(())
}
