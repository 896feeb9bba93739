/** Returns the documents of a stream of YAML that are not empty. JSON is YAML. */
export const documentsIn = (text: string): string[] =>
  text.split(/^---(?:[ \t].*)?$/m).filter((document) => /^[^\S\n\r\u2028\u2029]*[^#\s]/m.test(document))
