//! Change notifications through a proxy: from a server over HTTP or a byte stream to a client of
//! either kind of version, past a concurrency limit of one.

use std::convert::Infallible;

use mcp_core::schema::{
    subscriptions::{ACKNOWLEDGED, SubscriptionFilter},
    tools::LIST_CHANGED,
};
use mcp_ext::{BoxService, Client, Cx, Exchange, Server, server::tool, service::boxed};
use mcp_transport::{Connection, Versions, duplex::ClientOptions, http, memory};
use tests::Nothing;
use tower::ServiceBuilder;

fn named(name: &str) -> mcp_ext::server::ServedTool {
    tool(name, "Does nothing.", async |_: Cx, Nothing {}: Nothing| {
        Ok::<_, Infallible>("done")
    })
}

fn server() -> Server {
    Server::builder("changing", "1.0.0")
        .tool(named("first"))
        .build()
        .unwrap()
}

/// A client end, and what keeps it open.
struct Upstream {
    service: BoxService,
    _open: Box<dyn std::any::Any>,
}

async fn over_bytes(server: Server, versions: Versions) -> Upstream {
    let options = ClientOptions::default().versions(versions);
    let connection = memory::connect(server, options).await.unwrap();
    Upstream {
        service: boxed(connection.service()),
        _open: Box::new(connection),
    }
}

async fn over_http(server: Server, versions: Versions) -> Upstream {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let mut serving = tokio::task::JoinSet::new();
    serving.spawn(http::server::serve(server, listener, Default::default()));
    let options = http::client::Options::default().versions(versions);
    let client = http::client::connect(&url, options).await.unwrap();
    Upstream {
        service: boxed(client),
        _open: Box::new(serving),
    }
}

async fn proxied(upstream: &Upstream, versions: Versions) -> Connection {
    let proxy = ServiceBuilder::new()
        .concurrency_limit(1)
        .service(upstream.service.clone());
    memory::connect(proxy, ClientOptions::default().versions(versions))
        .await
        .unwrap()
}

/// The next notification of a subscription; the call must not end first.
async fn next(listening: &mut Exchange) -> String {
    listening
        .next()
        .await
        .expect("the subscription ended")
        .method
        .to_string()
}

#[tokio::test]
async fn a_change_reaches_a_subscriber_behind_a_proxy() {
    for far in [Versions::Stateless, Versions::Stateful] {
        for http in [false, true] {
            let server = server();
            let upstream = match http {
                true => over_http(server.clone(), far).await,
                false => over_bytes(server.clone(), far).await,
            };
            let connection = proxied(&upstream, Versions::Stateful).await;
            let client = Client::new(connection.service());
            let mut listening = client.listen(SubscriptionFilter::lists()).unwrap();
            assert_eq!(next(&mut listening).await, ACKNOWLEDGED);
            // The way there is opened by the links, in their own time: change until one arrives.
            let changing = async {
                for n in 0.. {
                    server.add_tool(named(&format!("tool{n}"))).unwrap();
                    // A call goes through all the same: the subscription holds no permit.
                    assert!(client.list_tools().await.unwrap().len() >= 2);
                }
            };
            tokio::select! {
                method = next(&mut listening) => assert_eq!(method, LIST_CHANGED, "{far:?} {http}"),
                () = changing => {}
            }
        }
    }
}
