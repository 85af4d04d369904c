// A process that takes films and recordings apart with node-av.
import { serveTasks } from '../process/serve-tasks.ts'
import { tasks } from './av-node-tasks.ts'

serveTasks(tasks)
