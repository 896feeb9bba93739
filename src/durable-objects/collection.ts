import { DurableObject } from 'cloudflare:workers'
import type { Environment } from '../config/environment.ts'
import type { ControllerClients } from '../controllers/admitted-writes.ts'
import { type CollectionObject, openCollection } from './open-collection.ts'

/** The Durable Object of one group-resource of one cluster, over all namespaces. */
export class Collection extends DurableObject<Environment> {
  protected readonly opened: CollectionObject

  /** @param clients makes the clients of controllers whose writes policies and webhooks see */
  constructor(ctx: DurableObjectState, env: Environment, clients: ControllerClients) {
    super(ctx, env)
    this.opened = openCollection(ctx, env, clients)
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
