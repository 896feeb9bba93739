package edgeplanetest

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Options are those of a cluster; all may be absent.
type Options struct {
	// Seed makes uids, generated names and first versions the same in each cluster with this seed.
	Seed int64 `json:"seed,omitempty"`
	// Now is the time at which the cluster begins.
	Now *time.Time `json:"now,omitempty"`
	// Frozen stops the clock from the beginning.
	Frozen bool `json:"frozen,omitempty"`
}

// Match selects requests. An empty field matches any value; UserAgent matches a part.
type Match struct {
	Verb        string `json:"verb,omitempty"`
	Group       string `json:"group,omitempty"`
	Resource    string `json:"resource,omitempty"`
	Subresource string `json:"subresource,omitempty"`
	Namespace   string `json:"namespace,omitempty"`
	Name        string `json:"name,omitempty"`
	User        string `json:"user,omitempty"`
	UserAgent   string `json:"userAgent,omitempty"`
}

// Fault delays or fails the next requests that match.
type Fault struct {
	Match
	// Code is 400, 401, 403, 404, 409, 410, 429, 500, 503 or 504; 0: the requests succeed after the delay.
	Code int
	// Delay is at most a minute.
	Delay time.Duration
	// Times is the number of requests; 0 means one.
	Times int
}

// Request is one that the cluster has answered.
type Request struct {
	Match
	Version string `json:"version"`
	Path    string `json:"path"`
	Code    int    `json:"code"`
	// At is in milliseconds since the epoch, by the clock of the machine.
	At int64 `json:"at"`
	// Milliseconds is the time until the response began.
	Milliseconds int64 `json:"milliseconds"`
	// Fault is the id of the fault that changed the response; 0 without one.
	Fault int `json:"fault"`
}

// Cluster belongs to one test.
type Cluster struct {
	Name string
	// Config is that of the cluster's administrator.
	Config *rest.Config
	// Kubeconfig is its text.
	Kubeconfig []byte
	server     *Server
	t          testing.TB
}

// NewCluster makes a cluster of the server that all tests of the package share. It is deleted at the end of the test; if the test
// has failed, its requests are logged.
func NewCluster(t testing.TB, options ...Options) *Cluster {
	t.Helper()
	server, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return server.Cluster(t, options...)
}

// Cluster does the same with a server of the caller's.
func (s *Server) Cluster(t testing.TB, options ...Options) *Cluster {
	t.Helper()
	var wanted Options
	for _, one := range options {
		wanted = one
	}
	var made struct{ Name, Kubeconfig string }
	if err := s.send("POST", paths, wanted, &made); err != nil {
		t.Fatal(err)
	}
	cluster := &Cluster{Name: made.Name, Kubeconfig: []byte(made.Kubeconfig), server: s, t: t}
	config, err := clientcmd.RESTConfigFromKubeConfig(cluster.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	// A test is not to wait for the client's own limit.
	config.QPS, config.Burst = -1, -1
	cluster.Config = config
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the requests of cluster %s:\n%s", cluster.Name, cluster.RequestTable(Match{}))
		}
		if err := s.send("DELETE", paths+"/"+cluster.Name, nil, nil); err != nil {
			t.Log(err)
		}
	})
	return cluster
}

func (c *Cluster) must(method, part string, body, answer any) {
	c.t.Helper()
	if err := c.server.send(method, paths+"/"+c.Name+"/"+part, body, answer); err != nil {
		c.t.Fatal(err)
	}
}

// Requests returns the recorded requests that match, oldest first.
func (c *Cluster) Requests(match Match) []Request {
	c.t.Helper()
	var answer struct{ Requests []Request }
	c.must("GET", "requests", nil, &answer)
	var found []Request
	for _, request := range answer.Requests {
		if match.matches(request.Match) {
			found = append(found, request)
		}
	}
	return found
}

// ClearRequests forgets the recorded requests.
func (c *Cluster) ClearRequests() {
	c.t.Helper()
	c.must("DELETE", "requests", nil, nil)
}

// RequestTable returns the recorded requests as lines.
func (c *Cluster) RequestTable(match Match) string {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "VERB\tRESOURCE\tNAME\tCODE\tMS\tUSER AGENT")
	for _, r := range c.Requests(match) {
		what := strings.Trim(r.Resource+"/"+r.Subresource, "/")
		if what == "" {
			what = r.Path
		}
		name := strings.Trim(r.Namespace+"/"+r.Name, "/")
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%d\t%.40s\n", r.Verb, what, name, r.Code, r.Milliseconds, r.UserAgent)
	}
	_ = table.Flush()
	return text.String()
}

func (m Match) matches(r Match) bool {
	equal := func(wanted, found string) bool { return wanted == "" || wanted == found }
	return equal(m.Verb, r.Verb) && equal(m.Group, r.Group) && equal(m.Resource, r.Resource) &&
		equal(m.Subresource, r.Subresource) && equal(m.Namespace, r.Namespace) && equal(m.Name, r.Name) &&
		equal(m.User, r.User) && strings.Contains(r.UserAgent, m.UserAgent)
}

// Fail injects a fault.
func (c *Cluster) Fail(fault Fault) {
	c.t.Helper()
	c.must("POST", "faults", struct {
		Match
		Code  int   `json:"code,omitempty"`
		Delay int64 `json:"delay,omitempty"`
		Times int   `json:"times,omitempty"`
	}{fault.Match, fault.Code, fault.Delay.Milliseconds(), fault.Times}, nil)
}

// ClearFaults removes the faults.
func (c *Cluster) ClearFaults() {
	c.t.Helper()
	c.must("DELETE", "faults", nil, nil)
}

// CloseWatches closes the open watches of a resource; of all if it is empty.
func (c *Cluster) CloseWatches(group, resource string) {
	c.t.Helper()
	body := map[string]string{}
	if resource != "" {
		body["group"], body["resource"] = group, resource
	}
	c.must("DELETE", "watches", body, nil)
}

// Advance moves the clock of the cluster, runs the work that is due then, and returns the time.
func (c *Cluster) Advance(by time.Duration) time.Time {
	c.t.Helper()
	return c.clock("PUT", map[string]int64{"advance": by.Milliseconds()})
}

// Freeze stops the clock of the cluster, and returns the time.
func (c *Cluster) Freeze() time.Time {
	c.t.Helper()
	return c.clock("PUT", map[string]bool{"frozen": true})
}

// Unfreeze lets a stopped clock go on, and returns the time.
func (c *Cluster) Unfreeze() time.Time {
	c.t.Helper()
	return c.clock("PUT", map[string]bool{"frozen": false})
}

// Now returns the time of the cluster.
func (c *Cluster) Now() time.Time {
	c.t.Helper()
	return c.clock("GET", nil)
}

func (c *Cluster) clock(method string, body any) time.Time {
	c.t.Helper()
	var answer struct{ Now time.Time }
	c.must(method, "clock", body, &answer)
	return answer.Now
}

// KubeconfigFile writes the kubeconfig to a file that ends with the test, and returns its path.
func (c *Cluster) KubeconfigFile() string {
	c.t.Helper()
	path := c.t.TempDir() + "/kubeconfig"
	if err := os.WriteFile(path, c.Kubeconfig, 0o600); err != nil {
		c.t.Fatal(err)
	}
	return path
}
