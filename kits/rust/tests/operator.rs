use edgeplane_test::Cluster;
use serde_json::{json, Value};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// An operator with webhooks, which runs during a test.
struct Operator(Child);

impl Operator {
    /// Starts it and installs its definition and configurations, or returns nothing without the program: test/clients/operator.
    fn start(cluster: &Cluster) -> Option<Operator> {
        let (Ok(program), Ok(config)) = (std::env::var("OPERATOR"), std::env::var("OPERATOR_CONFIG")) else {
            eprintln!("OPERATOR is not set");
            return None;
        };
        let mut command = Command::new(program);
        command.arg("lamps").arg(cluster.kubeconfig()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut operator = Operator(command.spawn().unwrap());
        let mut lines = BufReader::new(operator.0.stdout.take().unwrap()).lines().map(|line| line.unwrap());
        // The values of the files: the URL of the webhooks, and their certificate authority.
        let values: Value = serde_json::from_str(&lines.next().unwrap()).unwrap();
        cluster.install(config, &["URL", "CA"].map(|name| (name, values[name].as_str().unwrap())));
        assert_eq!(lines.next().unwrap(), "ready");
        Some(operator)
    }
}

impl Drop for Operator {
    fn drop(&mut self) {
        self.0.kill().and_then(|()| self.0.wait()).unwrap();
    }
}

fn lamps(version: &str) -> String {
    format!("/apis/example.com/{version}/namespaces/default/lamps")
}

fn lamp(version: &str, name: &str, spec: Value) -> Option<Value> {
    Some(json!({ "apiVersion": format!("example.com/{version}"), "kind": "Lamp", "metadata": { "name": name }, "spec": spec }))
}

#[test]
fn an_operator_converts_defaults_and_validates_lamps_and_switches_each_on_by_one_update() {
    let cluster = Cluster::new();
    let Some(_operator) = Operator::start(&cluster) else { return };
    let made = cluster.request("POST", &lamps("v1beta1"), lamp("v1beta1", "desk", json!({ "power": "40W" })));
    assert_eq!(made.status, 201);
    let refused = cluster.request("POST", &lamps("v1"), lamp("v1", "hall", json!({ "watts": -1 })));
    assert_eq!(refused.status, 403);
    assert!(refused.json()["message"].as_str().unwrap().contains("denied the request: watts must not be negative"));
    let desk = loop {
        let desk = cluster.request("GET", &(lamps("v1") + "/desk"), None).json();
        if desk["status"]["isOn"] == true {
            break desk;
        }
    };
    assert_eq!(desk["spec"], json!({ "watts": 40, "colour": "white" }));
    let updates = cluster.requests(json!({ "verb": "update", "resource": "lamps", "subresource": "status" }));
    assert_eq!(updates.iter().map(|update| &update["code"]).collect::<Vec<_>>(), [200]);
}
