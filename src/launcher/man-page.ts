/** The manual page, from the table of commands. */
import { argumentWords, type Command, commonOptions, type Option } from './command-line.ts'

/** Escapes what roff would interpret: backslashes, hyphens, and points and quotes at the beginning of lines. */
const roff = (text: string): string =>
  text
    .replace(/\\/g, '\\e')
    .replace(/-/g, '\\-')
    .replace(/^([.'])/gm, '\\&$1')

const sentence = (phrase: string): string => roff(`${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`)

/** Writes a term with its explanation. */
const entry = (term: string, explanation: string): string => `.TP\n${term}\n${explanation}\n`

function optionEntry({ name, value, help }: Option): string {
  const term = `\\fB${roff(`--${name}`)}\\fR${value === undefined ? '' : ` \\fI${roff(value)}\\fR`}`
  return entry(term, roff(help.join(' ')))
}

function commandSection<C>(command: Command<C>): string {
  const { name, summary, argument, options } = command
  const usage = `.SS ${roff(`edgeplane ${name}${argumentWords(command)}`)}\n`
  const choices = argument?.choices === undefined ? '' : `${roff(argument.value)} is one of ${argument.choices.join(', ')}.\n`
  return `${usage}${sentence(summary)}\n${choices}${options.map(optionEntry).join('')}`
}

/**
 * Writes `man/edgeplane.1`.
 * @param version of the package
 */
export function manPage<C>(commands: readonly Command<C>[], version: string): string {
  const listed = commands.filter(({ internal }) => !internal)
  return `.\\" Written by npm run lab man.
.TH EDGEPLANE 1 "" "edgeplane ${roff(version)}" "User Commands"
.SH NAME
edgeplane \\- a Kubernetes API server without servers
.SH SYNOPSIS
.B edgeplane
.I COMMAND
[options]
.SH COMMANDS
${listed.map(commandSection).join('')}.SH OPTIONS
Every command has these options.
${commonOptions.map(optionEntry).join('')}.SH ENVIRONMENT
${entry('\\fBKUBECONFIG\\fR', 'Read by kubectl and other clients: the file that \\fBedgeplane start\\fR prints.')}${entry('\\fBEDGEPLANE_WORKERD\\fR', 'The executable of workerd in place of the installed one.')}.SH SEE ALSO
.BR kubectl (1)
`
}
