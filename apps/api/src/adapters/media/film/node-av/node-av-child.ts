// A process that takes films and recordings apart with node-av.
import { serveAv } from '../serve-av.ts'
import { createNodeAv } from './node-av.ts'

serveAv(createNodeAv(process.env.NODE_AV_VERSION ?? ''))
