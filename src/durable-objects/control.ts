import { DurableObject } from 'cloudflare:workers'
import type { Environment } from '../config/environment.ts'
import type { ControllerClients } from '../controllers/admitted-writes.ts'
import { type ControlObject, openControl } from './open-control.ts'

/** The Durable Object of one cluster. It is opened again if the cluster is made with another placement than it was opened with. */
export class Control extends DurableObject<Environment> {
  protected opened: ControlObject
  readonly #clients: ControllerClients

  /** @param clients makes the clients of controllers whose writes policies and webhooks see */
  constructor(ctx: DurableObjectState, env: Environment, clients: ControllerClients) {
    super(ctx, env)
    this.#clients = clients
    this.opened = this.#open()
  }

  #open(): ControlObject {
    return openControl(this.ctx, this.env, this.#clients, () => {
      this.opened = this.#open()
      return this.opened
    })
  }

  override fetch(request: Request): Promise<Response> {
    return this.opened.object.fetch(request)
  }

  override alarm(): Promise<void> {
    return this.opened.object.alarm()
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    this.opened.object.webSocketMessage(socket, message)
  }

  override webSocketClose(socket: WebSocket): void {
    this.opened.object.webSocketClosed(socket)
  }

  override webSocketError(socket: WebSocket): void {
    this.opened.object.webSocketClosed(socket)
  }
}
