// Program extract prints, as JSON, the facts in the Go sources of API packages: types, fields, tags, markers, constants,
// lifecycle releases and the resources of typed clients. The generator interprets them.
//
// It reads a JSON list of packages from standard input (see source) and needs the standard library only.
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

// source names one package to read: its folder, its import path, the name that type expressions give it,
// and the folder of its typed clients if there is one.
type source struct {
	Dir     string `json:"dir"`
	Path    string `json:"path"`
	Name    string `json:"name"`
	Clients string `json:"clients"`
}

// facts contains the facts of one package. Types are in the order of their files' names and of the source text.
type facts struct {
	Name      string                  `json:"name"`
	GroupName string                  `json:"groupName"`
	Types     []typeFacts             `json:"types"`
	Constants map[string]string       `json:"constants"`
	Values    map[string][]valueFacts `json:"values"`
	Lifecycle map[string]lifecycle    `json:"lifecycle"`
	Clients   map[string]string       `json:"clients"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "extract:", err)
		os.Exit(1)
	}
}

func run() error {
	var sources []source
	if err := json.NewDecoder(os.Stdin).Decode(&sources); err != nil {
		return fmt.Errorf("reading the list of packages: %w", err)
	}
	names := map[string]string{}
	for _, s := range sources {
		names[s.Path] = s.Name
	}
	all := make([]facts, 0, len(sources))
	for _, s := range sources {
		f, err := readPackage(s, names)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Path, err)
		}
		all = append(all, f)
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	return out.Encode(all)
}

func readPackage(s source, names map[string]string) (facts, error) {
	files, err := parseFolder(s.Dir)
	if err != nil {
		return facts{}, err
	}
	f := facts{
		Name: s.Name, Constants: map[string]string{}, Values: map[string][]valueFacts{},
		Lifecycle: map[string]lifecycle{}, Clients: map[string]string{},
	}
	custom := map[string]bool{}
	for _, file := range files {
		readConstants(file.syntax, f.Constants)
		readValues(file.syntax, qualifier{s.Name, names, importNames(file.syntax)}, f.Values)
		readMethods(file.syntax, custom, f.Lifecycle)
	}
	for _, file := range files {
		types, err := readTypes(file, s.Name, names)
		if err != nil {
			return facts{}, err
		}
		f.Types = append(f.Types, types...)
	}
	for i := range f.Types {
		f.Types[i].CustomJSON = custom[f.Types[i].Name]
	}
	f.GroupName = f.Constants["GroupName"]
	if s.Clients != "" {
		if err := readClients(s.Clients, f.Clients); err != nil {
			return facts{}, err
		}
	}
	return f, nil
}
