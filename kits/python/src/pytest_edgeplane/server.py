"""The server that the tests of a session share."""

import base64
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from .cluster import Cluster, Client

PATHS = "/edgeplane/testing/v1/clusters"


class Server:
    """A running server. Its clusters are those of tests."""

    def __init__(self, kubeconfig, process=None, directory=None):
        text = Path(kubeconfig).read_text()
        self.kubeconfig = str(kubeconfig)
        self._process = process
        self._directory = directory
        authority = base64.b64decode(_value(text, "certificate-authority-data")).decode()
        self.client = Client(_value(text, "server"), _value(text, "token"), authority)

    @classmethod
    def start(cls, *arguments):
        """Starts `edgeplane start --testing` without data: the command on the PATH, or that of the environment variable
        EDGEPLANE. Uses the running server of EDGEPLANE_KUBECONFIG instead, if that is set."""
        running = os.environ.get("EDGEPLANE_KUBECONFIG")
        if running:
            return cls(running)
        directory = tempfile.mkdtemp(prefix="edgeplane-pytest-")
        kubeconfig = os.path.join(directory, "kubeconfig")
        command = shlex.split(os.environ.get("EDGEPLANE", "edgeplane"))
        options = ["start", "--testing", "--ephemeral", "--port", "0", "--kubeconfig", kubeconfig]
        process = subprocess.Popen(
            [*command, *options, *arguments],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "EDGEPLANE_END_WITH_PARENT": "1"},
        )
        for line in process.stdout:
            # The last line, printed when the server is ready.
            if "Stop it with" in line:
                return cls(kubeconfig, process, directory)
        raise RuntimeError(f"{shlex.join(command)} does not start: exit code {process.wait()}")

    def cluster(self, **options):
        """Makes a cluster: `seed`, and `now` as a text in RFC 3339, may be given."""
        made = self.client.require("POST", PATHS, options).json()
        return Cluster(self.client, f"{PATHS}/{made['name']}", made)

    def stop(self):
        self.client.close()
        if self._process is None:
            return
        self._process.send_signal(signal.SIGTERM)
        self._process.wait()
        self._process.stdout.close()
        shutil.rmtree(self._directory, ignore_errors=True)


def _value(kubeconfig, key):
    found = re.search(rf'{key}"?: *"?([^",\s]+)', kubeconfig)
    return found.group(1) if found else ""
