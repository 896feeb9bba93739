//! The objects in files. The server parses them: only the fields that decide about the path are read here.

use crate::client::{succeeded, Client};
use std::fs;
use std::path::{Path, PathBuf};

/// Creates the objects in a file, or in all YAML and JSON files of a directory in the order of their names.
pub(crate) fn install(client: &Client, path: &Path, values: &[(&str, &str)]) {
    for file in files_in(path) {
        let mut text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        for (name, value) in values {
            text = text.replace(&format!("${{{name}}}"), value);
        }
        if text.trim_start().starts_with('{') {
            // Fields at the beginning of lines are read: the text is written anew.
            let object: serde_json::Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            text = format!("{object:#}").replace("\n  \"", "\n\"");
        }
        for document in documents(&text) {
            create(client, &document);
        }
    }
}

fn files_in(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.into()];
    }
    let mut files: Vec<PathBuf> = fs::read_dir(path).expect("a directory").map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "yaml" || end == "yml" || end == "json"));
    files.sort();
    files
}

fn documents(text: &str) -> Vec<String> {
    let mut documents = vec![String::new()];
    for line in text.lines() {
        if line.starts_with("---") {
            documents.push(String::new());
        } else if let Some(last) = documents.last_mut() {
            last.push_str(line);
            last.push('\n');
        }
    }
    documents.retain(|document| !field(document, "kind").is_empty());
    documents
}

fn create(client: &Client, text: &str) {
    let (api_version, kind) = (field(text, "apiVersion"), field(text, "kind"));
    let root = if api_version.contains('/') { "apis" } else { "api" };
    let base = format!("/{root}/{api_version}");
    let list = client.require("GET", &base, None).json();
    let known = list["resources"].as_array().cloned().unwrap_or_default();
    let resource = known
        .iter()
        .find(|one| one["kind"] == kind && !one["name"].as_str().unwrap_or_default().contains('/'))
        .unwrap_or_else(|| panic!("no kind {kind} in {api_version}"));
    let scope = match (resource["namespaced"] == true, namespace_of(text)) {
        (false, _) => String::new(),
        (true, "") => "/namespaces/default".into(),
        (true, namespace) => format!("/namespaces/{namespace}"),
    };
    let path = format!("{base}{scope}/{}", resource["name"].as_str().unwrap_or_default());
    succeeded("POST", &path, client.send("POST", &path, Some(text), "application/yaml"));
}

/// Returns the value of a field at the beginning of a line.
fn field<'a>(text: &'a str, name: &str) -> &'a str {
    text.lines().find_map(|line| value_in(line, name)).unwrap_or_default()
}

fn value_in<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let value = line.trim_start_matches(['"', '\'']).strip_prefix(name)?.trim_start_matches(['"', '\'']).strip_prefix(':')?;
    value.split([' ', '"', '\'', ',', '#']).find(|word| !word.is_empty())
}

/// Returns metadata.namespace.
fn namespace_of(text: &str) -> &str {
    let inside = text.lines().skip_while(|line| !line.contains("metadata")).skip(1);
    let mut members = inside.take_while(|line| line.starts_with([' ', '\t']) || line.is_empty());
    members.find_map(|line| value_in(line.trim_start(), "namespace")).unwrap_or_default()
}
