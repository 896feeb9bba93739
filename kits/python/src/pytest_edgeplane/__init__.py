"""A Kubernetes API server of its own for each test."""

from .cluster import Cluster, Response
from .server import Server

__all__ = ["Cluster", "Response", "Server"]
