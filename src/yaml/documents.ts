/** Returns the documents of a stream of YAML that are not empty. JSON is YAML. */
export const documentsIn = (text: string): string[] =>
  text.split(/^---(?:[ \t].*)?$/m).filter((document) => /^\s*[^#\s]/m.test(document))
