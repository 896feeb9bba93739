/** The settings EMULATED_RELEASE and RUNTIME_CONFIG: the release whose API a cluster serves, and what is switched on or off. */
import { compareReleases, newestRelease, oldestRelease, releaseText } from '../catalog/lifecycle.ts'
import { ResourceConfig } from '../catalog/resource-config.ts'
import { readRuntimeConfig } from '../catalog/runtime-config.ts'
import type { Release } from '../schema/tables.ts'
import { isEnabled } from './feature-gates.ts'

/** The settings that decide which resources the default cluster serves. */
export interface EmulationTexts {
  readonly EMULATED_RELEASE?: string
  readonly RUNTIME_CONFIG?: string
}

/** The component whose release this is. Its name in front may be left out. */
const component = 'kube'

function withoutComponent(entry: string): string {
  const [name, text] = entry.split('=', 2)
  if (text === undefined) return entry.trim()
  if (name?.trim() !== component) throw new Error(`component not registered: ${name}`)
  return text.trim()
}

function readRelease(text: string): Release {
  const [, major, minor, patch] = /^v?(\d+)\.(\d+)(\..*)?$/.exec(text) ?? []
  if (major === undefined || minor === undefined) throw new Error(`could not parse ${JSON.stringify(text)} as version`)
  if (patch !== undefined) throw new Error(`patch version not allowed, got: ${component}=${text}`)
  return [Number(major), Number(minor)]
}

/**
 * Reads a release as `--emulated-version` does: `1.21` or `kube=1.21`; '' is the newest one.
 * @throws Error in kube-apiserver's words for anything else, and for releases that are not emulated
 */
export function readEmulatedRelease(text: string): Release {
  const [first, second] = text.split(',').map(withoutComponent)
  if (second !== undefined) throw new Error(`duplicate version flag, ${component}=${first} and ${component}=${second}`)
  if (first === undefined || first === '') return newestRelease
  const release = readRelease(first)
  if (compareReleases(release, oldestRelease) < 0 || compareReleases(release, newestRelease) > 0) {
    const range = `[${releaseText(oldestRelease)}, ${releaseText(newestRelease)}.0]`
    throw new Error(`emulation version ${releaseText(release)} is not between ${range}`)
  }
  return release
}

const made = new Map<string, ResourceConfig>()

/**
 * Returns the resource config of a release and preferences. It is made once for the same texts.
 * @throws Error in kube-apiserver's words for texts that cannot be read
 */
export function resourceConfigOf(release: string, runtimeConfig = ''): ResourceConfig {
  const key = `${release} ${runtimeConfig}`
  const found =
    made.get(key) ??
    new ResourceConfig({
      release: readEmulatedRelease(release),
      runtimeConfig: readRuntimeConfig(runtimeConfig),
      text: emulationText({ EMULATED_RELEASE: release, RUNTIME_CONFIG: runtimeConfig }),
      isGateOn: isEnabled,
    })
  made.set(key, found)
  return found
}

/** Returns the settings as one text, which begins with the release; '' for those of the newest release. */
export const emulationText = ({ EMULATED_RELEASE = '', RUNTIME_CONFIG = '' }: EmulationTexts): string =>
  `${EMULATED_RELEASE} ${RUNTIME_CONFIG}`.trimEnd()

/** Returns the resource config of such a text. */
export function resourceConfigOfText(text: string): ResourceConfig {
  const space = text.indexOf(' ')
  return space < 0 ? resourceConfigOf(text) : resourceConfigOf(text.slice(0, space), text.slice(space + 1))
}

/** Returns the resource config of the default cluster. @throws Error that names the invalid setting */
export function readEmulation({ EMULATED_RELEASE = '', RUNTIME_CONFIG = '' }: EmulationTexts): ResourceConfig {
  readEmulatedRelease(EMULATED_RELEASE)
  return resourceConfigOf(EMULATED_RELEASE, RUNTIME_CONFIG)
}
