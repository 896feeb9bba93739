package main

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// wire prints once for each verb and resource the media types of request and response.
type wire struct {
	next  http.RoundTripper
	print func(string)
	mutex sync.Mutex
	seen  map[string]bool
}

var (
	placeOf = regexp.MustCompile(`^/(?:api|apis/[^/]+)/[^/]+/(?:namespaces/[^/]+/)?([^/]+)(?:/[^/]+)?(/[^/]+)?$`)
	version = regexp.MustCompile(`;.*`)
)

func (w *wire) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := w.next.RoundTrip(request)
	if err != nil {
		return response, err
	}
	place := placeOf.FindStringSubmatch(request.URL.Path)
	if place == nil {
		return response, err
	}
	verb := request.Method
	if strings.Contains(request.URL.RawQuery, "watch=true") {
		verb = "WATCH"
	}
	form := func(header http.Header) string { return version.ReplaceAllString(header.Get("Content-Type"), "") }
	line := fmt.Sprintf("wire %s %s%s %s -> %s", verb, place[1], place[2], form(request.Header), form(response.Header))
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if !w.seen[line] {
		w.seen[line] = true
		w.print(line)
	}
	return response, err
}
