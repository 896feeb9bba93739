/** The settings EMULATED_RELEASE and RUNTIME_CONFIG: the release whose API a cluster serves, and what is switched on or off. */
import { compareReleases, newestRelease, oldestRelease, releaseText } from '../catalog/lifecycle.ts'
import { type LaterResources, ResourceConfig } from '../catalog/resource-config.ts'
import { readRuntimeConfig } from '../catalog/runtime-config.ts'
import type { Release } from '../schema/tables.ts'
import { isEnabled, readBoolean } from './feature-gates.ts'
import { minimumCompatibility } from './minimum-compatibility.ts'
import type { SettingTexts } from './settings.ts'

/** The settings that decide which resources the default cluster serves. */
export type EmulationTexts = Pick<
  SettingTexts,
  | 'EMULATED_RELEASE'
  | 'RUNTIME_CONFIG'
  | 'EMULATION_FORWARD_COMPATIBLE'
  | 'RUNTIME_CONFIG_EMULATION_FORWARD_COMPATIBLE'
  | 'MIN_COMPATIBILITY_VERSION'
>

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

/** Reads a list with one release at most: `1.21`, `kube=1.21`. '' gives undefined. @throws Error in kube-apiserver's words */
function readVersion(text: string): Release | undefined {
  const [first, second] = text.split(',').map(withoutComponent)
  if (second !== undefined) throw new Error(`duplicate version flag, ${component}=${first} and ${component}=${second}`)
  return first === undefined || first === '' ? undefined : readRelease(first)
}

function emulationError(release: Release): string | undefined {
  if (compareReleases(release, oldestRelease) >= 0 && compareReleases(release, newestRelease) <= 0) return undefined
  return `emulation version ${releaseText(release)} is not between [${releaseText(oldestRelease)}, ${releaseText(newestRelease)}.0]`
}

function compatibilityError(release: Release, emulated: Release): string | undefined {
  if (compareReleases(release, oldestRelease) >= 0 && compareReleases(release, emulated) <= 0) return undefined
  const range = `[${releaseText(oldestRelease)}, ${releaseText(emulated)}]`
  return `minCompatibilityVersion version ${releaseText(release)} is not between ${range}`
}

/**
 * Reads a release as `--emulated-version` does: `1.21` or `kube=1.21`; '' is the newest one.
 * @throws Error in kube-apiserver's words for anything else, and for releases that are not emulated
 */
export function readEmulatedRelease(text: string): Release {
  const release = readVersion(text) ?? newestRelease
  const wrong = emulationError(release)
  if (wrong !== undefined) throw new Error(wrong)
  return release
}

const forwardNames = {
  EMULATION_FORWARD_COMPATIBLE: 'EmulationForwardCompatible',
  RUNTIME_CONFIG_EMULATION_FORWARD_COMPATIBLE: 'RuntimeConfigEmulationForwardCompatible',
} as const

type ForwardName = keyof typeof forwardNames

/** Whether such a setting is on. @throws Error in kube-apiserver's words unless it is a boolean as Go reads them */
function readForward(texts: EmulationTexts, name: ForwardName): boolean {
  const text = texts[name] ?? ''
  const isOn = text === '' ? false : readBoolean(text)
  if (isOn !== undefined) return isOn
  const flag = `--${name.toLowerCase().replaceAll('_', '-')}`
  const quoted = JSON.stringify(text)
  throw new Error(`invalid argument ${quoted} for "${flag}" flag: strconv.ParseBool: parsing ${quoted}: invalid syntax`)
}

/** Whether the later versions of resources are served, and those that RUNTIME_CONFIG names. */
const readLater = (texts: EmulationTexts): LaterResources => ({
  versions: readForward(texts, 'EMULATION_FORWARD_COMPATIBLE'),
  named: readForward(texts, 'RUNTIME_CONFIG_EMULATION_FORWARD_COMPATIBLE'),
})

/** Returns what kube-apiserver says about releases that do not fit together. */
function versionErrors(texts: EmulationTexts, release: Release, compatible: Release): string[] {
  const isNewest = compareReleases(release, newestRelease) === 0
  const forward = isNewest ? (Object.keys(forwardNames) as ForwardName[]).filter((name) => readForward(texts, name)) : []
  const same = 'cannot be set to true if the emulation version is the same as the binary version'
  const errors = [emulationError(release), compatibilityError(compatible, release)].filter((error) => error !== undefined)
  return [...errors, ...forward.map((name) => `ServerRunOptions.${forwardNames[name]} ${same}`)]
}

const made = new Map<string, ResourceConfig>()

function makeConfig(texts: EmulationTexts): ResourceConfig {
  const release = readEmulatedRelease(texts.EMULATED_RELEASE ?? '')
  return new ResourceConfig({
    release,
    minimumCompatibility: readVersion(texts.MIN_COMPATIBILITY_VERSION ?? '') ?? minimumCompatibility(release),
    later: readLater(texts),
    runtimeConfig: readRuntimeConfig(texts.RUNTIME_CONFIG ?? ''),
    text: emulationText(texts),
    isGateOn: isEnabled,
  })
}

/** Returns the resource config of settings. It is made once for the same ones. */
function configOf(texts: EmulationTexts): ResourceConfig {
  const key = `${texts.MIN_COMPATIBILITY_VERSION ?? ''} ${emulationText(texts)}`
  const found = made.get(key) ?? makeConfig(texts)
  made.set(key, found)
  return found
}

/**
 * Returns the resource config of a release and preferences. It is made once for the same texts.
 * @throws Error in kube-apiserver's words for texts that cannot be read
 */
export const resourceConfigOf = (release: string, runtimeConfig = ''): ResourceConfig =>
  configOf({ EMULATED_RELEASE: release, RUNTIME_CONFIG: runtimeConfig })

/** The marks behind the release of a text: later versions are served, and those that are named. */
const marks = { versions: '+versions', named: '+named' } as const

/** Returns the settings as one text, which begins with the release; '' for those of the newest release. */
export function emulationText(texts: EmulationTexts): string {
  const { EMULATED_RELEASE = '', RUNTIME_CONFIG = '' } = texts
  const { versions, named } = readLater(texts)
  return `${EMULATED_RELEASE}${versions ? marks.versions : ''}${named ? marks.named : ''} ${RUNTIME_CONFIG}`.trimEnd()
}

/** Returns the resource config of such a text. */
export function resourceConfigOfText(text: string): ResourceConfig {
  const space = text.indexOf(' ')
  const [head, preferences] = space < 0 ? [text, ''] : [text.slice(0, space), text.slice(space + 1)]
  const [release = ''] = head.split('+', 1)
  return configOf({
    EMULATED_RELEASE: release,
    RUNTIME_CONFIG: preferences,
    ...(head.includes(marks.versions) && { EMULATION_FORWARD_COMPATIBLE: 'true' }),
    ...(head.includes(marks.named) && { RUNTIME_CONFIG_EMULATION_FORWARD_COMPATIBLE: 'true' }),
  })
}

/** Returns the resource config of the default cluster. @throws Error in kube-apiserver's words for an invalid setting */
export function readEmulation(texts: EmulationTexts): ResourceConfig {
  const release = readVersion(texts.EMULATED_RELEASE ?? '') ?? newestRelease
  const compatible = readVersion(texts.MIN_COMPATIBILITY_VERSION ?? '') ?? minimumCompatibility(release)
  const errors = versionErrors(texts, release, compatible)
  if (errors.length > 0) throw new Error(errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`)
  return configOf(texts)
}
