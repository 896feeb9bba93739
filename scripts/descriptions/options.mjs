/**
 * Descriptions of requests' parameters, from @kubernetes/client-node: as those of the fields of the types that the parameters are
 * read from, such as ListOptions. Its declarations join the lines of a text; their breaks are put back.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** By package and type, the operation whose parameters are its fields. */
const operations = {
  'meta/v1': {
    ListOptions: 'ListNamespacedPod',
    CreateOptions: 'CreateNamespacedPod',
    PatchOptions: 'PatchNamespacedPod',
  },
  'core/v1': {
    PodLogOptions: 'ReadNamespacedPodLog',
    PodExecOptions: 'ConnectGetNamespacedPodExec',
    PodAttachOptions: 'ConnectGetNamespacedPodAttach',
    PodPortForwardOptions: 'ConnectGetNamespacedPodPortforward',
    PodProxyOptions: 'ConnectGetNamespacedPodProxy',
    ServiceProxyOptions: 'ConnectGetNamespacedServiceProxy',
    NodeProxyOptions: 'ConnectGetNodeProxy',
  },
}

/** The texts, by package, type and field. */
export function optionTexts({ folder }) {
  const declarations = readFileSync(join(folder, 'dist', 'gen', 'types', 'ObjectParamAPI.d.ts'), 'utf8')
  const typesOf = ([name, types]) => [
    name,
    Object.fromEntries(Object.entries(types).map(([type, operation]) => [type, parametersOf(declarations, type, operation)])),
  ]
  return Object.fromEntries(Object.entries(operations).map(typesOf))
}

function parametersOf(declarations, type, operation) {
  const start = declarations.indexOf(`export interface CoreV1Api${operation}Request {`)
  const declaration = declarations.slice(start, declarations.indexOf('\n}\n', start))
  const found = declaration.matchAll(/\/\*\*\n {5}\* (.*)\n(?: {5}\*.*\n)*? {5}\*\/\n {4}_?(\w+)\??:/g)
  return Object.fromEntries(
    Array.from(found, ([, text, name]) => [name, type === 'ListOptions' ? withBreaks(unescaped(text)) : unescaped(text)]),
  )
}

function unescaped(text) {
  return text
    .replace(/&#x([0-9a-fA-F]+);/g, (_, digits) => String.fromCodePoint(Number.parseInt(digits, 16)))
    .replace(/&#(\d+);/g, (_, digits) => String.fromCodePoint(Number(digits)))
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/\\(["'])/g, '$1')
}

/** A line break has become a space: an odd run of them was one break and an indentation, an even one an empty line. */
function withBreaks(text) {
  return text
    .replace(/ {3,}/g, ({ length }) => (length % 2 === 1 ? `\n${' '.repeat(length - 1)}` : `\n\n${' '.repeat(length - 2)}`))
    .replace(/(?<=[.:)"`]) {2}(?=\S)|(?<=^ *- \S+) {2}(?=\S)/gm, '\n\n')
    .replace(/(?<=\.) - (?=`)/g, '\n- ')
}
