//! A Kubernetes API server of its own for each test: a cluster of one edgeplane server.
//!
//! ```no_run
//! let cluster = edgeplane_test::Cluster::new();
//! cluster.install("tests/crds", &[]);
//! cluster.fail(serde_json::json!({ "verb": "update", "resource": "lamps", "code": 409 }));
//! ```

mod client;
mod manifests;
mod server;

pub use client::Response;
use client::Client;
use serde_json::{json, Value};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, thread};

const PATHS: &str = "/edgeplane/testing/v1/clusters";

/// A cluster with its own objects, clock, faults and recorded requests. It is deleted when it is dropped; if the test fails, its
/// requests are printed.
pub struct Cluster {
    pub name: String,
    pub url: String,
    pub token: String,
    client: Client,
    kubeconfig: PathBuf,
}

impl Cluster {
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self::with(json!({}))
    }

    /// Makes a cluster with options: `json!({ "seed": 1, "now": "2030-01-01T00:00:00Z" })`.
    pub fn with(options: Value) -> Self {
        let server = server::shared();
        let made = server.require("POST", PATHS, Some(options)).json();
        let text = |field: &str| made[field].as_str().unwrap_or_default().to_owned();
        let (name, url, token) = (text("name"), text("server"), text("token"));
        let kubeconfig = server.authority.with_file_name(format!("{name}.kubeconfig"));
        fs::write(&kubeconfig, text("kubeconfig")).expect("the kubeconfig");
        let client = Client { url: url.clone(), token: token.clone(), authority: server.authority.clone() };
        Self { name, url, token, client, kubeconfig }
    }

    /// Returns the kubeconfig file, in a directory that only this user can read.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// Sends a request as the administrator.
    pub fn request(&self, method: &str, path: &str, body: Option<Value>) -> Response {
        let text = body.map(|value| value.to_string());
        self.client.send(method, path, text.as_deref(), "application/json")
    }

    /// Creates the objects in a file, or in all YAML and JSON files of a directory in the order of their names; `values` replace
    /// `${NAME}` in the files. Panics if one cannot be created.
    pub fn install(&self, path: impl AsRef<Path>, values: &[(&str, &str)]) {
        manifests::install(&self.client, path.as_ref(), values);
    }

    fn control(&self, method: &str, part: &str, body: Option<Value>) -> Response {
        server::shared().require(method, &format!("{PATHS}/{}{part}", self.name), body)
    }

    /// Returns the recorded requests with these properties: `json!({ "verb": "update", "resource": "pods" })`.
    pub fn requests(&self, with: Value) -> Vec<Value> {
        let all = self.control("GET", "/requests", None).json()["requests"].as_array().cloned().unwrap_or_default();
        let wanted = with.as_object().cloned().unwrap_or_default();
        all.into_iter().filter(|one| wanted.iter().all(|(name, value)| &one[name] == value)).collect()
    }

    /// Returns the recorded requests as lines.
    pub fn request_table(&self) -> String {
        let joined = |one: &Value, fields: [&str; 2]| -> String {
            let texts: Vec<&str> = fields.iter().filter_map(|field| one[field].as_str()).filter(|text| !text.is_empty()).collect();
            texts.join("/")
        };
        let mut lines = vec![format!("{:16}{:24}{:28}{:6}{:6}{}", "VERB", "RESOURCE", "NAME", "CODE", "MS", "USER AGENT")];
        for one in self.requests(json!({})) {
            let resource = joined(&one, ["resource", "subresource"]);
            let what = if resource.is_empty() { one["path"].as_str().unwrap_or_default() } else { &resource };
            let (verb, agent) = (one["verb"].as_str().unwrap_or_default(), one["userAgent"].as_str().unwrap_or_default());
            let name = joined(&one, ["namespace", "name"]);
            lines.push(format!("{verb:15} {what:23} {name:27} {:<5} {:<5} {agent}", one["code"].as_u64().unwrap_or(0), one["milliseconds"].as_u64().unwrap_or(0)));
        }
        lines.join("\n")
    }

    pub fn clear_requests(&self) {
        self.control("DELETE", "/requests", None);
    }

    /// Injects a fault: `json!({ "verb": "update", "resource": "pods", "code": 409, "times": 2 })`.
    pub fn fail(&self, rule: Value) {
        self.control("POST", "/faults", Some(rule));
    }

    pub fn clear_faults(&self) {
        self.control("DELETE", "/faults", None);
    }

    /// Closes the open watches of a resource, `json!({ "group": "apps", "resource": "deployments" })`, or all: `json!({})`.
    pub fn close_watches(&self, which: Value) {
        self.control("DELETE", "/watches", Some(which));
    }

    fn clock(&self, method: &str, body: Option<Value>) -> String {
        self.control(method, "/clock", body).json()["now"].as_str().unwrap_or_default().into()
    }

    /// Returns the time of the cluster's clock, in RFC 3339.
    pub fn now(&self) -> String {
        self.clock("GET", None)
    }

    /// Moves the clock, runs the work that is due then, and returns the time.
    pub fn advance(&self, by: Duration) -> String {
        self.clock("PUT", Some(json!({ "advance": by.as_millis() as u64 })))
    }

    /// Stops the clock, and returns the time.
    pub fn freeze(&self) -> String {
        self.clock("PUT", Some(json!({ "frozen": true })))
    }

    /// Lets a stopped clock go on, and returns the time.
    pub fn unfreeze(&self) -> String {
        self.clock("PUT", Some(json!({ "frozen": false })))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("requests of cluster {}:\n{}", self.name, self.request_table());
        }
        let _ = fs::remove_file(&self.kubeconfig);
        self.control("DELETE", "", None);
    }
}
