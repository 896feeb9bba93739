use edgeplane_test::Cluster;
use serde_json::{json, Value};
use std::time::Duration;

const LAMPS: &str = "/apis/example.com/v1/namespaces/default/lamps";

fn lamp() -> Value {
    json!({ "apiVersion": "example.com/v1", "kind": "Lamp", "metadata": { "name": "desk" }, "spec": { "watts": 40 } })
}

/// Sets the status, and repeats after a conflict: the controller under test.
fn switch_on(cluster: &Cluster, name: &str) {
    loop {
        let mut lamp = cluster.request("GET", &format!("{LAMPS}/{name}"), None).json();
        lamp["status"] = json!({ "isOn": true });
        if cluster.request("PUT", &format!("{LAMPS}/{name}/status"), Some(lamp)).status != 409 {
            return;
        }
    }
}

#[test]
fn a_conflict_is_repeated() {
    let cluster = Cluster::new();
    cluster.install("tests/crds", &[]);
    assert_eq!(cluster.request("POST", LAMPS, Some(lamp())).status, 201);
    cluster.fail(json!({ "verb": "update", "resource": "lamps", "subresource": "status", "code": 409 }));
    switch_on(&cluster, "desk");
    let updates = cluster.requests(json!({ "verb": "update", "resource": "lamps", "subresource": "status" }));
    assert_eq!(updates.iter().map(|update| &update["code"]).collect::<Vec<_>>(), [409, 200]);
}

#[test]
fn a_lamp_is_as_old_as_the_clock_says() {
    let cluster = Cluster::with(json!({ "seed": 1, "now": "2030-01-01T00:00:00Z" }));
    cluster.install("tests/crds", &[]);
    cluster.freeze();
    let later = cluster.advance(Duration::from_secs(24 * 60 * 60));
    let made = cluster.request("POST", LAMPS, Some(lamp())).json();
    assert!(made["metadata"]["creationTimestamp"].as_str().unwrap().starts_with("2030-01-02T"));
    assert_eq!(cluster.now(), later);
}

#[test]
#[should_panic]
fn a_failed_test_prints_the_requests_of_its_cluster() {
    let cluster = Cluster::new();
    let create = || cluster.request("POST", "/api/v1/namespaces/default/configmaps", Some(json!({ "metadata": { "name": "a" } })));
    create();
    assert_eq!(create().status, 201);
}
