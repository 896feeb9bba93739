import type { Program } from './start.ts'

/** The context in which a command runs. */
export interface Context {
  readonly program: Program
  /** The directory to which relative paths refer. */
  readonly directory: string
  readonly print: (text: string) => void
}
