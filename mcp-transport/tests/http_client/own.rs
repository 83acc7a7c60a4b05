//! Both ends of this crate together: one script, equal outcomes in both eras.

use mcp_core::schema::{progress::PROGRESS, subscriptions::SubscriptionFilter};
use mcp_ext::{Client, Cx, Server, server::tool};
use mcp_transport::{
    Versions,
    http::{
        client::{Options, connect},
        server,
    },
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tokio::net::TcpListener;

#[derive(Deserialize, JsonSchema)]
struct Count {
    to: u32,
}

fn server() -> Server {
    Server::builder("counter", "1.0.0")
        .tool(tool("count", "Counts.", async |cx: Cx, count: Count| {
            for n in 1..=count.to {
                cx.progress(f64::from(n), None, None).await?;
            }
            Ok::<_, mcp_ext::interim::NobodyLeft>(count.to.to_string())
        }))
        .build()
        .unwrap()
}

#[tokio::test]
async fn v26_http_015_k16_one_script_gives_the_same_in_both_eras() {
    for versions in [Versions::Auto, Versions::Stateful] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let served = server();
        let serving = tokio::spawn(server::serve(
            served.clone(),
            listener,
            server::Options::default(),
        ));
        let link = connect(&url, Options::default().versions(versions))
            .await
            .unwrap();
        assert_eq!(link.version().is_stateless(), versions == Versions::Auto);
        let client = Client::new(link.clone());
        assert_eq!(
            client.discover().await.unwrap().server_info().unwrap().name,
            "counter"
        );
        let result = client
            .call_tool("count", &json!({ "to": 3 }))
            .await
            .unwrap();
        assert_eq!(result.joined_text(), "3");

        let params = json!({ "name": "count", "arguments": { "to": 500 } });
        let mut exchange = client.exchange("tools/call", Some(params.into()));
        for n in 1..=500 {
            let Some(progress) = exchange.next().await else {
                panic!("{n}: {versions:?} {:?}", exchange.outcome().await)
            };
            assert_eq!(progress.method.as_str(), PROGRESS);
            let at = progress
                .params
                .unwrap()
                .member("progress")
                .unwrap()
                .decode::<f64>()
                .unwrap();
            assert_eq!(at, f64::from(n));
        }
        exchange.outcome().await.unwrap();

        let mut changes = client.listen(SubscriptionFilter::lists()).unwrap();
        changes.next().await.expect("the acknowledgement");
        assert!(served.remove_tool("count"));
        let Some(changed) = changes.next().await else {
            panic!("{versions:?} {:?}", changes.outcome().await)
        };
        assert_eq!(changed.method.as_str(), "notifications/tools/list_changed");
        drop(changes);
        assert!(
            client
                .call_tool("count", &json!({ "to": 1 }))
                .await
                .is_err()
        );
        link.close().await;
        serving.abort();
    }
}
