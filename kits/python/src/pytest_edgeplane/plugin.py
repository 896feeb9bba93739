"""The fixtures."""

import pytest

from .server import Server



@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    outcome = yield
    report = outcome.get_result()
    cluster = getattr(item, "funcargs", {}).get("edgeplane_cluster")
    if report.when == "call" and report.failed and cluster is not None:
        report.sections.append((f"requests of cluster {cluster.name}", cluster.request_table()))


@pytest.fixture(scope="session")
def edgeplane_server():
    """The server of the session."""
    server = Server.start()
    yield server
    server.stop()


@pytest.fixture
def edgeplane_cluster(edgeplane_server, request):
    """A new cluster. `@pytest.mark.edgeplane(seed=1, now="2030-01-01T00:00:00Z")` sets its options."""
    marker = request.node.get_closest_marker("edgeplane")
    cluster = edgeplane_server.cluster(**(marker.kwargs if marker else {}))
    yield cluster
    cluster.delete()


def pytest_configure(config):
    config.addinivalue_line("markers", "edgeplane(seed, now): options of the cluster of a test")
