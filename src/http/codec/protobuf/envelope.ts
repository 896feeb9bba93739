/** What is around an object in protobuf: a magic number and a message that says what it is (runtime.Unknown). */
import { EmbeddedField, type MessageField } from './fields.ts'
