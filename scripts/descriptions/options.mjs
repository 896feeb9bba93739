/**
 * Descriptions of request parameters, from @kubernetes/client-node, as fields of the types to which the parameters belong, such
 * as ListOptions. Its declarations join the lines of a text; the line breaks are restored.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** For each package and type, an operation whose parameters are its fields. */
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

/** Returns the texts by package, type and field. */
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

/**
 * Restores line breaks that became spaces: an odd number of spaces was a line break with an indentation, an even number an empty
 * line.
 */
function withBreaks(text) {
  return text
    .replace(/ {3,}/g, ({ length }) => (length % 2 === 1 ? `\n${' '.repeat(length - 1)}` : `\n\n${' '.repeat(length - 2)}`))
    .replace(/(?<=[.:)"`]) {2}(?=\S)|(?<=^ *- \S+) {2}(?=\S)/gm, '\n\n')
    .replace(/(?<=\.) - (?=`)/g, '\n- ')
}
