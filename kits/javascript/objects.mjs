// Finds the objects in a file of YAML or JSON. The server parses them: only the fields that decide about the path are read here.

const field = (text, name) => new RegExp(`^["']?${name}["']?: *["']?([^"'\\s#]+)`, 'm').exec(text)?.[1]

function objectInYaml(text) {
  const metadata = /^metadata:.*\n((?:[ \t#].*\n|\n)*)/m.exec(`${text}\n`)?.[1] ?? ''
  const indent = /^ +/m.exec(metadata)?.[0] ?? ''
  const own = metadata.replace(new RegExp(`^${indent}`, 'gm'), '')
  const namespace = field(own, 'namespace') ?? 'default'
  return { apiVersion: field(text, 'apiVersion'), kind: field(text, 'kind'), namespace, text, mediaType: 'application/yaml' }
}

function objectInJson(object) {
  const { apiVersion, kind, metadata } = object
  const namespace = metadata?.namespace ?? 'default'
  return { apiVersion, kind, namespace, text: JSON.stringify(object), mediaType: 'application/json' }
}

// Returns the objects with the texts to send. `values` replace `${NAME}`.
export function objectsIn(file, values) {
  const text = file.replace(/\$\{(\w+)\}/g, (all, name) => values[name] ?? all)
  if (text.trimStart().startsWith('{')) {
    const object = JSON.parse(text)
    return (object.kind === 'List' ? object.items : [object]).map(objectInJson)
  }
  return text
    .split(/^---.*$/m)
    .map(objectInYaml)
    .filter(({ apiVersion, kind }) => apiVersion !== undefined && kind !== undefined)
}
