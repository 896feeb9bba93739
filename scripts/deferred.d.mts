import type { Plugin } from 'esbuild'

/** The entry point of a group, and its specifier until the name of its output is known. */
export function entryOfGroup(group: string): string

/** Makes the plugin of esbuild that defers the loading of groups of modules, whose paths are relative to `root`. */
export function deferredModules(root: string, groups: Readonly<Record<string, readonly string[]>>): Plugin

/** Gives the text of an output in which the specifiers of groups are the names of their outputs. */
export function withOutputNames(text: string, outputs: Readonly<Record<string, string>>): string
