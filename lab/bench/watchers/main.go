// watchers opens many watches of one collection, writes to it from a few connections, and counts the received events:
// by lines in JSON and by frame lengths in protobuf, so that decoding is not part of the measurement.
//
//	watchers --server URL --token T --namespace N [--protobuf] [--watchers 1000] [--writers 4] [--seconds 6]
package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

var (
	server    = flag.String("server", "", "base URL")
	token     = flag.String("token", "", "bearer token")
	namespace = flag.String("namespace", "", "namespace, which is made")
	protobuf  = flag.Bool("protobuf", false, "watch in protobuf")
	watchers  = flag.Int("watchers", 1000, "watches")
	writers   = flag.Int("writers", 4, "connections that write")
	seconds   = flag.Float64("seconds", 6, "how long is written")
)

func client(connections int) *http.Client {
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig:     &tls.Config{InsecureSkipVerify: true},
		MaxIdleConnsPerHost: connections, MaxConnsPerHost: connections, DisableCompression: true,
		// HTTP/1.1 for every server, so that results are comparable.
		TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{},
	}}
}

func send(c *http.Client, method, path, accept string, body []byte) *http.Response {
	request, err := http.NewRequest(method, *server+path, bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+*token)
	request.Header.Set("Accept", accept)
	request.Header.Set("Content-Type", "application/json")
	response, err := c.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	return response
}

// post creates an object and returns the latency in milliseconds.
func post(c *http.Client, path string, body string) float64 {
	began := time.Now()
	response := send(c, "POST", path, "application/json", []byte(body))
	answer, _ := io.ReadAll(response.Body)
	response.Body.Close()
	if response.StatusCode != 201 {
		log.Fatalf("%d %s", response.StatusCode, answer)
	}
	return float64(time.Since(began).Microseconds()) / 1000
}

// countLines counts the lines of a stream until it ends.
func countLines(stream io.Reader, events *atomic.Int64) {
	buffer := make([]byte, 64*1024)
	for {
		n, err := stream.Read(buffer)
		events.Add(int64(bytes.Count(buffer[:n], []byte{'\n'})))
		if err != nil {
			return
		}
	}
}

// countFrames counts the length-prefixed frames of a stream until it ends.
func countFrames(stream io.Reader, events *atomic.Int64) {
	reader := bufio.NewReaderSize(stream, 64*1024)
	for {
		length, err := reader.Peek(4)
		if err != nil {
			return
		}
		if _, err := reader.Discard(4 + int(binary.BigEndian.Uint32(length))); err != nil {
			return
		}
		events.Add(1)
	}
}

// openWatches opens all watches and counts their events.
func openWatches(path string, events *atomic.Int64) {
	accept, count := "application/json", countLines
	if *protobuf {
		accept, count = "application/vnd.kubernetes.protobuf;stream=watch", countFrames
	}
	c := client(*watchers)
	var opened sync.WaitGroup
	for range *watchers {
		opened.Add(1)
		go func() {
			response := send(c, "GET", path+"?watch=1", accept, nil)
			if response.StatusCode != 200 {
				log.Fatal(response.Status)
			}
			opened.Done()
			count(response.Body, events)
		}()
	}
	opened.Wait()
}

// write creates objects until the given time, and returns the latency of each.
func write(path string, end time.Time) []float64 {
	c := client(*writers)
	var all []float64
	var lock sync.Mutex
	var done sync.WaitGroup
	payload := strings.Repeat("x", 900)
	for writer := range *writers {
		done.Add(1)
		go func() {
			defer done.Done()
			for i := 0; time.Now().Before(end); i++ {
				took := post(c, path, fmt.Sprintf(`{"metadata":{"name":"w-%d-%d","labels":{"app":"bench"}},"data":{"k":%q}}`, writer, i, payload))
				lock.Lock()
				all = append(all, took)
				lock.Unlock()
			}
		}()
	}
	done.Wait()
	return all
}

func main() {
	flag.Parse()
	post(client(1), "/api/v1/namespaces", fmt.Sprintf(`{"metadata":{"name":%q}}`, *namespace))
	path := "/api/v1/namespaces/" + *namespace + "/configmaps"
	var events atomic.Int64
	openWatches(path, &events)
	// The controllers create a ConfigMap in every new namespace.
	time.Sleep(time.Second)
	before := events.Load()
	began := time.Now()
	posts := write(path, began.Add(time.Duration(*seconds*float64(time.Second))))
	goal := int64(len(posts) * *watchers)
	for limit := time.Now().Add(time.Minute); events.Load()-before < goal && time.Now().Before(limit); {
		time.Sleep(5 * time.Millisecond)
	}
	arrived := events.Load() - before
	sort.Float64s(posts)
	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"eventsPerSecond": float64(arrived) / time.Since(began).Seconds(),
		"missing":         goal - arrived,
		"postP50ms":       posts[len(posts)/2],
	})
}
