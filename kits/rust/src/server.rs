//! The server that all tests of a process share.

use crate::client::Client;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{mpsc, OnceLock};
use std::{env, fs, process, thread};

/// The first characters of the names of processes' directories; their ids follow.
const PREFIX: &str = "edgeplane-rust-";

/// Returns the administrator's client of the shared server, which the first call starts: the running one of
/// EDGEPLANE_KUBECONFIG, or `edgeplane` of the PATH or of EDGEPLANE. It ends with this process.
pub(crate) fn shared() -> &'static Client {
    static SHARED: OnceLock<Client> = OnceLock::new();
    SHARED.get_or_init(|| {
        remove_left_behind();
        let directory = env::temp_dir().join(format!("{PREFIX}{}", process::id()));
        fs::DirBuilder::new().mode(0o700).create(&directory).expect("a temporary directory");
        let running = env::var("EDGEPLANE_KUBECONFIG").ok().filter(|path| !path.is_empty());
        let kubeconfig = running.map(PathBuf::from).unwrap_or_else(|| start(&directory));
        let text = fs::read_to_string(&kubeconfig).expect("the kubeconfig");
        let authority = directory.join("ca.crt");
        fs::write(&authority, decoded(value_of(&text, "certificate-authority-data"))).expect("the authority");
        Client { url: value_of(&text, "server").into(), token: value_of(&text, "token").into(), authority }
    })
}

/// Removes the directories of processes that have ended: nothing runs at the end of a process. Linux tells which ones those are.
fn remove_left_behind() {
    for entry in fs::read_dir(env::temp_dir()).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let id = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.parse::<u32>().ok());
        let is_running = |id: u32| id != process::id() && Path::new("/proc").join(id.to_string()).exists();
        if Path::new("/proc/self").exists() && id.is_some_and(|id| !is_running(id)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// A script that runs a command until its own standard input ends, as it does with this process, however that ends: `npx` does not
/// notice the end of its parent. The script does not hold the output, so that this ends with the command.
const ENDING_WITH_STDIN: &str = r#""$@" & exec >&-; read -r _; kill $!"#;

/// Starts the server; returns its kubeconfig when it is ready.
fn start(directory: &Path) -> PathBuf {
    let kubeconfig = directory.join("kubeconfig");
    let path = kubeconfig.clone();
    let (sender, ready) = mpsc::channel();
    thread::spawn(move || {
        let command = env::var("EDGEPLANE").unwrap_or_else(|_| "edgeplane".into());
        let mut child = Command::new("sh")
            .args(["-c", ENDING_WITH_STDIN, "sh"])
            .args(command.split_whitespace())
            .args(["start", "--testing", "--ephemeral", "--port", "0", "--kubeconfig"])
            .arg(path)
            .env("EDGEPLANE_END_WITH_PARENT", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{command}: {error}"));
        let held = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        for line in output.lines().map_while(Result::ok) {
            // The last line, printed when the server is ready.
            if line.contains("Stop it with") {
                let _ = sender.send(());
            }
        }
        // The output ends with the server, and earlier than this process only if it fails.
        drop((held, sender));
        let _ = child.wait();
    });
    ready.recv().expect("edgeplane starts");
    kubeconfig
}

fn value_of<'a>(kubeconfig: &'a str, key: &str) -> &'a str {
    let after = kubeconfig.split_once(key).map_or("", |(_, rest)| rest);
    after.trim_start_matches(['"', ':', ' ']).split(['"', ',', '\n']).next().unwrap_or_default()
}

/// Decodes base64.
fn decoded(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0u32, 0);
    for digit in text.bytes().filter_map(|each| DIGITS.iter().position(|&digit| digit == each)) {
        bits = bits << 6 | digit as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}
