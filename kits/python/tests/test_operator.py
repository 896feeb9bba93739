import json
import os
import subprocess
import time

import pytest

# The program of an operator with webhooks, and the directory of its definition and their configurations: test/clients/operator.
OPERATOR = os.environ.get("OPERATOR")


def lamps(version):
    return f"/apis/example.com/{version}/namespaces/default/lamps"


@pytest.fixture
def cluster(edgeplane_cluster):
    """A cluster in which the operator runs."""
    command = [OPERATOR, "lamps", edgeplane_cluster.kubeconfig]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as operator:
        try:
            # The values of the files: the URL of the webhooks, and their certificate authority.
            edgeplane_cluster.install(os.environ["OPERATOR_CONFIG"], json.loads(operator.stdout.readline()))
            assert operator.stdout.readline() == "ready\n"
            yield edgeplane_cluster
        finally:
            operator.terminate()


def create(cluster, version, name, spec):
    lamp = {"apiVersion": f"example.com/{version}", "kind": "Lamp", "metadata": {"name": name}, "spec": spec}
    return cluster.request("POST", lamps(version), lamp)


def switched_on(cluster, name):
    while True:
        lamp = cluster.request("GET", f"{lamps('v1')}/{name}").json()
        if lamp.get("status", {}).get("isOn"):
            return lamp
        time.sleep(0.01)


@pytest.mark.skipif(OPERATOR is None, reason="OPERATOR is not set")
def test_an_operator_converts_defaults_and_validates_lamps_and_switches_each_on_by_one_update(cluster):
    assert create(cluster, "v1beta1", "desk", {"power": "40W"}).status == 201
    refused = create(cluster, "v1", "hall", {"watts": -1})
    assert refused.status == 403
    assert "denied the request: watts must not be negative" in refused.json()["message"]
    assert switched_on(cluster, "desk")["spec"] == {"watts": 40, "colour": "white"}
    updates = cluster.requests(verb="update", resource="lamps", subresource="status")
    assert [update["code"] for update in updates] == [200]
