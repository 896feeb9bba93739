package envtest

// lab/bench/envtest-waits.ts puts this file into controller-runtime's package envtest. It appends the beginning and the duration, in
// milliseconds, of each start, stop and request to the file TRACE.

import (
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"

	"k8s.io/client-go/rest"
)

var (
	traceLock sync.Mutex
	traceFile *os.File
)

func traced(what string, began time.Time) {
	took := time.Since(began)
	traceLock.Lock()
	defer traceLock.Unlock()
	if traceFile == nil {
		traceFile, _ = os.OpenFile(os.Getenv("TRACE"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	}
	_, _ = fmt.Fprintf(traceFile, "%s %d %d\n", what, began.UnixMicro(), took.Microseconds())
}

type tracedTransport struct{ next http.RoundTripper }

// RoundTrip ends when the response begins: the events of a watch are not waited for here.
func (t tracedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	began := time.Now()
	response, err := t.next.RoundTrip(request)
	traced("request", began)
	return response, err
}

func tracedConfig(config *rest.Config) *rest.Config {
	config.WrapTransport = func(next http.RoundTripper) http.RoundTripper { return tracedTransport{next} }
	return config
}
