// A kubelet without containers: it serves logs, exec, attach and port forwarding with the streaming server of real kubelets
// (k8s.io/cri-streaming). A command runs on this machine; a port of a Pod is a port of 127.0.0.1.
//
//	kubelet ADDRESS CERTIFICATE KEY
//
// Other paths answer with the received request as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"time"

	"k8s.io/cri-streaming/pkg/streaming/portforward"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"
)

const patience = time.Minute

// machine runs what a container would run.
type machine struct{}

func (machine) ExecInContainer(
	ctx context.Context, _, _, _ string, cmd []string, in io.Reader, out, err io.WriteCloser, tty bool,
	resize <-chan remotecommand.TerminalSize, _ time.Duration,
) error {
	if tty && len(cmd) == 1 && cmd[0] == "size" {
		size := <-resize
		_, failed := fmt.Fprintf(out, "%dx%d\n", size.Width, size.Height)
		return failed
	}
	command := exec.CommandContext(ctx, cmd[0], cmd[1:]...)
	if in != nil {
		// The command may end before its input does.
		input, failed := command.StdinPipe()
		if failed != nil {
			return failed
		}
		go func() {
			defer input.Close()
			io.Copy(input, in)
		}()
	}
	if out != nil {
		command.Stdout = out
	}
	if err != nil {
		command.Stderr = err
	}
	failed := command.Run()
	if exit, ok := failed.(*exec.ExitError); ok {
		return utilexec.CodeExitError{Err: exit, Code: exit.ExitCode()}
	}
	return failed
}

func (machine) AttachContainer(
	_ context.Context, name, _, _ string, in io.Reader, out, _ io.WriteCloser, _ bool, _ <-chan remotecommand.TerminalSize,
) error {
	if out == nil {
		return nil
	}
	fmt.Fprintf(out, "attached to %s\n", name)
	if in != nil {
		io.Copy(out, in)
	}
	return nil
}

func (machine) PortForward(_ context.Context, _, _ string, port int32, stream io.ReadWriteCloser) error {
	connection, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	defer connection.Close()
	go io.Copy(connection, stream)
	_, err = io.Copy(stream, connection)
	return err
}

func logs(w http.ResponseWriter, request *http.Request) {
	fmt.Fprintf(w, "log of %s %s\n", request.PathValue("pod"), request.URL.RawQuery)
	if request.FormValue("follow") != "true" {
		return
	}
	for line := 1; ; line++ {
		w.(http.Flusher).Flush()
		select {
		case <-request.Context().Done():
			return
		case <-time.After(100 * time.Millisecond):
			fmt.Fprintf(w, "line %d\n", line)
		}
	}
}

func container(serve func(w http.ResponseWriter, request *http.Request, pod, name string, options *remotecommand.Options)) http.HandlerFunc {
	return func(w http.ResponseWriter, request *http.Request) {
		options, err := remotecommand.NewOptions(request)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		serve(w, request, request.PathValue("pod"), request.PathValue("container"), options)
	}
}

func forward(w http.ResponseWriter, request *http.Request) {
	options, err := portforward.NewV4Options(request)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	portforward.ServePortForward(w, request, machine{}, request.PathValue("pod"), "", options, patience, patience,
		portforward.SupportedProtocols)
}

func echo(w http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{
		"method": request.Method, "uri": request.RequestURI, "host": request.Host, "headers": request.Header, "body": string(body),
	})
}

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("/containerLogs/{namespace}/{pod}/{container}", logs)
	protocols := remotecommand.SupportedStreamingProtocols
	mux.HandleFunc("/exec/{namespace}/{pod}/{container}", container(
		func(w http.ResponseWriter, request *http.Request, pod, name string, options *remotecommand.Options) {
			command := request.URL.Query()["command"]
			remotecommand.ServeExec(w, request, machine{}, pod, "", name, command, options, patience, patience, protocols)
		}))
	mux.HandleFunc("/attach/{namespace}/{pod}/{container}", container(
		func(w http.ResponseWriter, request *http.Request, pod, name string, options *remotecommand.Options) {
			remotecommand.ServeAttach(w, request, machine{}, pod, "", name, options, patience, patience, protocols)
		}))
	mux.HandleFunc("/portForward/{namespace}/{pod}", forward)
	mux.HandleFunc("/fails", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "it fails", http.StatusTeapot) })
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Access-Control-Allow-Origin", "*")
		io.WriteString(w, `<html><a href="/other?a=1&amp;b=2">x</a><img src="relative.png"><img src='/abs.png'/><form action="https://elsewhere.example.com/"></form></html>`)
	})
	mux.HandleFunc("/away", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "/other/")
		w.WriteHeader(http.StatusFound)
	})
	mux.HandleFunc("/", echo)
	if len(os.Args) == 4 {
		log.Fatal(http.ListenAndServeTLS(os.Args[1], os.Args[2], os.Args[3], mux))
	}
	log.Fatal(http.ListenAndServe(os.Args[1], mux))
}
