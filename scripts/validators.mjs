// Writes src/config/validators.mjs: the schemas of src/config/schemas as functions, compiled by ajv. A Worker must not compile
// code, and needs no schema compiler for documents whose schema is known. Run by scripts/openapi.mjs; writes only if something
// has changed.

import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'src', 'config')
const target = join(folder, 'validators.mjs')

/** The functions with their schemas, by name. */
const schemas = {
  validateAuthentication: 'authentication',
  validateAuthorization: 'authorization',
  validateAuditPolicy: 'audit-policy',
  validateAdmission: 'admission',
  validatePodSecurity: 'pod-security',
  validateResourceQuota: 'resource-quota',
  validateWebhookAdmission: 'webhook-admission',
  validateEventRateLimit: 'event-rate-limit',
  validateImagePolicy: 'image-policy',
  validatePodNodeSelector: 'pod-node-selector',
  validatePodTolerationRestriction: 'pod-toleration-restriction',
}

/** Makes sure that the functions are present and match the schemas. */
export async function generate() {
  const texts = Object.values(schemas).map((name) => readFileSync(join(folder, 'schemas', `${name}.json`), 'utf8'))
  const own = readFileSync(fileURLToPath(import.meta.url))
  const header = `// Written by scripts/validators.mjs: ${createHash('sha256').update(texts.join('\n')).update(own).digest('hex')}`
  if (isCurrent(header)) return
  const { default: Ajv } = await import('ajv')
  const { default: standaloneCode } = await import('ajv/dist/standalone/index.js')
  const parsed = texts.map((text) => JSON.parse(text))
  // The error messages are our own: those of ajv would be most of the code.
  const ajv = new Ajv({
    schemas: parsed,
    messages: false,
    inlineRefs: false,
    allowUnionTypes: true,
    code: { source: true, esm: true, optimize: 3 },
  })
  const names = Object.fromEntries(Object.keys(schemas).map((name, index) => [name, parsed[index].$id]))
  const code = standaloneCode(ajv, names)
  const { transform } = await import('esbuild')
  const small = await transform(withoutUnused(code), { minifySyntax: true, target: 'es2024', format: 'esm' })
  const temporary = `${target}.${process.pid}.tmp`
  writeFileSync(temporary, `${header}\n${small.code}`)
  renameSync(temporary, target)
}

/** Removes schema paths, which are not used, and ajv's module that counts code points. */
function withoutUnused(code) {
  const imported = /const (\w+) = require\("ajv\/dist\/runtime\/ucs2length"\)\.default;?/g
  return code.replace(imported, 'const $1 = (text) => [...text].length;').replace(/,schemaPath:"[^"]*"/g, '')
}

function isCurrent(header) {
  try {
    return readFileSync(target, 'utf8').split('\n', 1)[0] === header
  } catch {
    return false
  }
}
