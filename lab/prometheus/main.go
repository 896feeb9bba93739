// Evaluates queries with Prometheus' own engine over two scrapes of a server, a minute apart.
//
//	go run . QUERIES.json FIRST.txt SECOND.txt
//
// Prints the number of series in each result, in the order of the queries, as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb"
)

const (
	job      = "kube-apiserver"
	instance = "127.0.0.1:6443"
	interval = time.Minute
)

type query struct {
	Query string `json:"query"`
}

// appendScrape adds the samples of a scrape at a time.
func appendScrape(db storage.Appendable, text []byte, at time.Time) error {
	appender := db.Appender(context.Background())
	parser := textparse.NewPromParser(text, labels.NewSymbolTable(), false)
	for {
		entry, err := parser.Next()
		if err == io.EOF {
			return appender.Commit()
		}
		if err != nil {
			return err
		}
		if entry != textparse.EntrySeries {
			continue
		}
		_, _, value := parser.Series()
		var series labels.Labels
		parser.Labels(&series)
		builder := labels.NewBuilder(series)
		builder.Set("job", job)
		builder.Set("instance", instance)
		if _, err := appender.Append(0, builder.Labels(), at.UnixMilli(), value); err != nil {
			return err
		}
	}
}

// count returns the number of series in the result of a query.
func count(engine *promql.Engine, db storage.Queryable, text string, at time.Time) (int, error) {
	prepared, err := engine.NewInstantQuery(context.Background(), db, nil, text, at)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", text, err)
	}
	defer prepared.Close()
	result := prepared.Exec(context.Background())
	if result.Err != nil {
		return 0, fmt.Errorf("%s: %w", text, result.Err)
	}
	vector, err := result.Vector()
	return len(vector), err
}

func run(queriesFile string, scrapes []string) error {
	directory, err := os.MkdirTemp("", "prometheus-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(directory)
	silent := slog.New(slog.NewTextHandler(io.Discard, nil))
	db, err := tsdb.Open(directory, silent, nil, tsdb.DefaultOptions(), nil)
	if err != nil {
		return err
	}
	defer db.Close()
	at := time.Unix(1_800_000_000, 0)
	for _, file := range scrapes {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		at = at.Add(interval)
		if err := appendScrape(db, text, at); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	text, err := os.ReadFile(queriesFile)
	if err != nil {
		return err
	}
	var queries []query
	if err := json.Unmarshal(text, &queries); err != nil {
		return err
	}
	engine := promql.NewEngine(promql.EngineOpts{Logger: silent, MaxSamples: 1_000_000, Timeout: time.Minute})
	counts := make([]int, 0, len(queries))
	for _, query := range queries {
		found, err := count(engine, db, query.Query, at)
		if err != nil {
			return err
		}
		counts = append(counts, found)
	}
	return json.NewEncoder(os.Stdout).Encode(counts)
}

func main() {
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
