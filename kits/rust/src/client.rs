//! Requests to an API server. They are sent by curl: Rust's standard library has no TLS, and a library with it takes longer to
//! compile than most tests.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A response with its body as text.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub text: String,
}

impl Response {
    /// Returns the body. Panics if it is no JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }
}

/// The place of an API server, and the right to use it.
#[derive(Clone)]
pub(crate) struct Client {
    pub url: String,
    pub token: String,
    /// The file of the certificate authority.
    pub authority: PathBuf,
}

/// Quotes a value of curl's configuration.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{}\"", escaped.replace('\r', "\\r").replace('\t', "\\t"))
}

impl Client {
    /// Sends a request. Panics if there is no response.
    pub fn send(&self, method: &str, path: &str, body: Option<&str>, media_type: &str) -> Response {
        let mut lines = vec![
            format!("url = {}", quoted(&format!("{}{path}", self.url))),
            format!("request = {method}"),
            format!("cacert = {}", quoted(&self.authority.to_string_lossy())),
            format!("header = {}", quoted(&format!("authorization: Bearer {}", self.token))),
            format!("header = {}", quoted(&format!("content-type: {media_type}"))),
            "user-agent = edgeplane-test".into(),
            "write-out = \"\\n%{http_code}\"".into(),
        ];
        lines.extend(body.map(|text| format!("data-raw = {}", quoted(text))));
        // The token must not be in a command line, which all users can read.
        let mut curl = Command::new("curl")
            .args(["--silent", "--show-error", "--config", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("curl");
        curl.stdin.take().expect("a pipe").write_all(lines.join("\n").as_bytes()).expect("curl reads");
        let output = curl.wait_with_output().expect("curl ends");
        assert!(output.status.success(), "{method} {path}: curl: {}", output.status);
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let (text, status) = text.rsplit_once('\n').expect("a status");
        Response { status: status.parse().expect("a number"), text: text.into() }
    }

    /// Sends a request with a body in JSON. Panics unless it succeeds.
    pub fn require(&self, method: &str, path: &str, body: Option<serde_json::Value>) -> Response {
        let text = body.map(|value| value.to_string());
        succeeded(method, path, self.send(method, path, text.as_deref(), "application/json"))
    }
}

pub(crate) fn succeeded(method: &str, path: &str, response: Response) -> Response {
    assert!(response.status < 300, "{method} {path}: {} {}", response.status, response.text);
    response
}
