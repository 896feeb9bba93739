"""The cluster of one test."""

import http.client
import json
import os
import re
import shutil
import ssl
import tempfile
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit


class Response:
    """A response with its body as text."""

    def __init__(self, status, text):
        self.status = status
        self.text = text

    def json(self):
        return json.loads(self.text)


class Client:
    """Sends requests to an API server with a token, one at a time."""

    def __init__(self, url, token, authority):
        parts = urlsplit(url)
        self._base = parts.path
        self._token = token
        context = ssl.create_default_context(cadata=authority or None)
        self._connection = http.client.HTTPSConnection(parts.netloc, context=context)

    def send(self, method, path, body=None, content_type="application/json"):
        headers = {"authorization": f"Bearer {self._token}", "content-type": content_type, "user-agent": "pytest-edgeplane"}
        text = body if body is None or isinstance(body, str) else json.dumps(body)
        self._connection.request(method, self._base + path, None if text is None else text.encode(), headers)
        response = self._connection.getresponse()
        return Response(response.status, response.read().decode())

    def require(self, method, path, body=None, content_type="application/json"):
        response = self.send(method, path, body, content_type)
        if response.status >= 300:
            raise RuntimeError(f"{method} {path}: {response.status} {response.text}")
        return response

    def close(self):
        self._connection.close()


class Cluster:
    """A cluster with its own objects, clock, faults and recorded requests."""

    def __init__(self, server, path, made):
        self.name = made["name"]
        self.url = made["server"]
        self.token = made["token"]
        self._server = server
        self._path = path
        self._client = Client(self.url, self.token, made["certificateAuthority"])
        self._directory = tempfile.mkdtemp(prefix="edgeplane-cluster-")
        self.kubeconfig = os.path.join(self._directory, "kubeconfig")
        with open(os.open(self.kubeconfig, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write(made["kubeconfig"])

    def request(self, method, path, body=None):
        """Sends a request as the administrator."""
        return self._client.send(method, path, body)

    def api_client(self):
        """Returns an ApiClient of the package `kubernetes`."""
        from kubernetes import config

        return config.new_client_from_config(self.kubeconfig)

    def install(self, path, values=None):
        """Creates the objects in a file, or in all YAML and JSON files of a directory in the order of their names.

        `values` replace `${NAME}` in the files.
        """
        path = Path(path)
        files = sorted(path.iterdir()) if path.is_dir() else [path]
        for file in files:
            if file.suffix not in (".yaml", ".yml", ".json"):
                continue
            for document in _documents(file.read_text(), values or {}):
                self._create(document, file)

    def _create(self, text, file):
        api_version, kind = _field(text, "apiVersion"), _field(text, "kind")
        base = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
        resources = self._client.require("GET", base).json()["resources"]
        found = next((one for one in resources if one["kind"] == kind and "/" not in one["name"]), None)
        if found is None:
            raise RuntimeError(f"{file}: no kind {kind} in {api_version}")
        metadata = re.search(r"^metadata:.*\n((?:[ \t].*\n|\n)*)", text + "\n", re.M)
        inside = re.search(r"^ {2,4}namespace: *[\"']?([^\"'\s#]+)", metadata.group(1) if metadata else "", re.M)
        scope = f"/namespaces/{inside.group(1) if inside else 'default'}" if found["namespaced"] else ""
        self._client.require("POST", f"{base}{scope}/{found['name']}", text, "application/yaml")

    def requests(self, **match):
        """Returns the recorded requests, those with these properties: `requests(verb="update", resource="pods")`."""
        found = self._server.require("GET", f"{self._path}/requests").json()["requests"]
        return [one for one in found if all(one[_camel(key)] == value for key, value in match.items())]

    def request_table(self):
        """Returns the recorded requests as lines."""
        rows = [("VERB", "RESOURCE", "NAME", "CODE", "MS", "USER AGENT")]
        for one in self.requests():
            what = "/".join(filter(None, (one["resource"], one["subresource"]))) or one["path"]
            name = "/".join(filter(None, (one["namespace"], one["name"])))
            rows.append((one["verb"], what, name, str(one["code"]), str(one["milliseconds"]), one["userAgent"][:40]))
        widths = [max(map(len, column)) for column in zip(*rows)]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)

    def clear_requests(self):
        self._server.require("DELETE", f"{self._path}/requests")

    def fail(self, **rule):
        """Injects a fault: `fail(verb="update", resource="pods", code=409, times=2)`. `delay` is in milliseconds."""
        self._server.require("POST", f"{self._path}/faults", {_camel(key): value for key, value in rule.items()})

    def clear_faults(self):
        self._server.require("DELETE", f"{self._path}/faults")

    def close_watches(self, resource=None, group=""):
        """Closes the open watches of a resource, or all."""
        body = {} if resource is None else {"resource": resource, "group": group}
        self._server.require("DELETE", f"{self._path}/watches", body)

    def now(self):
        return _time(self._server.require("GET", f"{self._path}/clock"))

    def advance(self, by):
        """Moves the clock by a timedelta, runs the work that is due then, and returns the time."""
        return _time(self._server.require("PUT", f"{self._path}/clock", {"advance": by.total_seconds() * 1000}))

    def freeze(self):
        """Stops the clock, and returns the time."""
        return _time(self._server.require("PUT", f"{self._path}/clock", {"frozen": True}))

    def unfreeze(self):
        """Lets a stopped clock go on, and returns the time."""
        return _time(self._server.require("PUT", f"{self._path}/clock", {"frozen": False}))

    def delete(self):
        self._client.close()
        shutil.rmtree(self._directory, ignore_errors=True)
        self._server.require("DELETE", self._path)


def _time(response):
    return datetime.fromisoformat(response.json()["now"].replace("Z", "+00:00"))


def _camel(name):
    return re.sub(r"_(\w)", lambda found: found.group(1).upper(), name)


def _field(text, name):
    found = re.search(rf"^[\"']?{name}[\"']?: *[\"']?([^\"'\s#]+)", text, re.M)
    return found.group(1) if found else ""


def _documents(text, values):
    text = re.sub(r"\$\{(\w+)\}", lambda found: values.get(found.group(1), found.group(0)), text)
    if text.lstrip().startswith("{"):
        # Fields at the beginning of lines are read: the text is written anew.
        return [json.dumps(json.loads(text), indent=1).replace('\n "', '\n"')]
    return [one for one in re.split(r"^---.*$", text, flags=re.M) if _field(one, "kind")]
