// Package edgeplane starts an API server for a test, as envtest does with kube-apiserver and etcd.
package edgeplane

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Start runs `edgeplane start` without data, and stops it at the end of the test. The command is `edgeplane` on the PATH,
// or the value of the environment variable EDGEPLANE, with words separated by spaces.
func Start(t testing.TB) *rest.Config {
	t.Helper()
	command := strings.Fields(os.Getenv("EDGEPLANE"))
	if len(command) == 0 {
		command = []string{"edgeplane"}
	}
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	arguments := append(command[1:], "start", "--ephemeral", "--port", "0", "--kubeconfig", kubeconfig)
	server := exec.Command(command[0], arguments...)
	server.Stderr = os.Stderr
	output, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGTERM)
		_ = server.Wait()
	})
	for lines := bufio.NewScanner(output); lines.Scan(); {
		// The last line, printed when the server is ready.
		if strings.Contains(lines.Text(), "Stop it with") {
			config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
			if err != nil {
				t.Fatal(err)
			}
			return config
		}
	}
	t.Fatalf("%s does not start", command[0])
	return nil
}
