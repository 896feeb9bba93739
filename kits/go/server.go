// Package edgeplanetest gives each test a Kubernetes API server of its own: a cluster of one edgeplane server.
package edgeplanetest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const paths = "/edgeplane/testing/v1/clusters"

// Server is a running server. Its clusters are those of tests.
type Server struct {
	// Config is that of the administrator of the default cluster.
	Config *rest.Config
	client *http.Client
	stop   func()
}

// Start runs `edgeplane start --testing` without data, and stops it at the end of the test. The command is `edgeplane` on the
// PATH, or the value of the environment variable EDGEPLANE, with words separated by spaces. If EDGEPLANE_KUBECONFIG names the
// kubeconfig of a running server, that one is used.
func Start(t testing.TB) *Server {
	t.Helper()
	server, err := start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.stop)
	return server
}

func start() (*Server, error) {
	if running := os.Getenv("EDGEPLANE_KUBECONFIG"); running != "" {
		return connect(running, func() {})
	}
	command := strings.Fields(os.Getenv("EDGEPLANE"))
	if len(command) == 0 {
		command = []string{"edgeplane"}
	}
	directory, err := os.MkdirTemp("", "edgeplanetest-")
	if err != nil {
		return nil, err
	}
	kubeconfig := filepath.Join(directory, "kubeconfig")
	arguments := append(command[1:], "start", "--testing", "--ephemeral", "--port", "0", "--kubeconfig", kubeconfig)
	process := exec.Command(command[0], arguments...)
	process.Stderr = os.Stderr
	// A test binary that panics or is killed ends its server.
	process.Env = append(os.Environ(), "EDGEPLANE_END_WITH_PARENT=1")
	output, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := process.Start(); err != nil {
		return nil, err
	}
	stop := sync.OnceFunc(func() {
		_ = process.Process.Signal(syscall.SIGTERM)
		_ = process.Wait()
		_ = os.RemoveAll(directory)
	})
	for lines := bufio.NewScanner(output); lines.Scan(); {
		// The last line, printed when the server is ready.
		if strings.Contains(lines.Text(), "Stop it with") {
			return connect(kubeconfig, stop)
		}
	}
	stop()
	return nil, fmt.Errorf("%s does not start", strings.Join(command, " "))
}

func connect(kubeconfig string, stop func()) (*Server, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		stop()
		return nil, err
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		stop()
		return nil, err
	}
	return &Server{Config: config, client: client, stop: stop}, nil
}

var shared = sync.OnceValues(start)

// Run runs the tests of a package and stops the server that they share: func TestMain(m *testing.M) { edgeplanetest.Run(m) }.
func Run(m *testing.M) {
	code := m.Run()
	if server, err := shared(); err == nil {
		server.stop()
	}
	os.Exit(code)
}

// send calls a testing path. The body and the answer are JSON; either may be nil.
func (s *Server) send(method, path string, body, answer any) error {
	var text bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&text).Encode(body); err != nil {
			return err
		}
	}
	request, err := http.NewRequest(method, s.Config.Host+path, &text)
	if err != nil {
		return err
	}
	response, err := s.client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	received, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: %s: %s", method, path, response.Status, received)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(received, answer)
}
