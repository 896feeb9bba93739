/** Keeps a number of silent connections to a port open: those that the server closes are opened again. */
import { connect } from 'node:net'

const [port, most] = process.argv.slice(2).map(Number)
let open = 0

function more(): void {
  for (let i = 0; i < 500 && open < (most ?? 0); i++) {
    open++
    connect(port ?? 0, '127.0.0.1')
      .on('error', () => undefined)
      .on('close', () => open--)
  }
  setTimeout(more, 5)
}

more()
process.on('disconnect', () => process.exit())
