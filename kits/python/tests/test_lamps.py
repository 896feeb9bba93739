from datetime import timedelta
from pathlib import Path

import pytest

DEFINITIONS = Path(__file__).parent / "crds"
LAMPS = "/apis/example.com/v1/namespaces/default/lamps"
LAMP = {"apiVersion": "example.com/v1", "kind": "Lamp", "metadata": {"name": "desk"}, "spec": {"watts": 40}}


@pytest.fixture
def cluster(edgeplane_cluster):
    edgeplane_cluster.install(DEFINITIONS)
    return edgeplane_cluster


def switch_on(cluster, name):
    """Sets the status, and repeats after a conflict: the controller under test."""
    while True:
        lamp = cluster.request("GET", f"{LAMPS}/{name}").json()
        lamp["status"] = {"isOn": True}
        if cluster.request("PUT", f"{LAMPS}/{name}/status", lamp).status != 409:
            return


def test_a_conflict_is_repeated(cluster):
    assert cluster.request("POST", LAMPS, LAMP).status == 201
    cluster.fail(verb="update", resource="lamps", subresource="status", code=409)
    switch_on(cluster, "desk")
    updates = cluster.requests(verb="update", resource="lamps", subresource="status")
    assert [update["code"] for update in updates] == [409, 200]


@pytest.mark.edgeplane(now="2030-01-01T00:00:00Z", seed=1)
def test_a_lamp_is_as_old_as_the_clock_says(cluster):
    cluster.freeze()
    assert cluster.advance(timedelta(days=1)).day == 2
    lamp = cluster.request("POST", LAMPS, LAMP).json()
    assert lamp["metadata"]["creationTimestamp"].startswith("2030-01-02T")


def test_each_test_has_its_own_cluster(cluster):
    assert cluster.request("GET", LAMPS).json()["items"] == []
