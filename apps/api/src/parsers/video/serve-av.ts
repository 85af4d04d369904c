import { join } from 'node:path'
import type { TaskContext } from '../../platform/sandbox/process-protocol.ts'
import { serveTasks } from '../../platform/sandbox/serve-tasks.ts'
import type { Av, AvFile, AvInfo, CutFrame } from './av.ts'

type Progress = TaskContext<number>
type Options<Name extends 'frames' | 'still' | 'sound' | 'playback' | 'cover'> = Omit<
  Parameters<Av[Name]>[1],
  'signal' | 'onProgress' | 'folder' | 'filename'
> & {
  file: AvFile
  /** Output folder. */
  folder: string
}

/** Serves video and recording tasks in this process. */
export function serveAv(av: Av): void {
  serveTasks(avTasks(av))
}

/** Names of the files that tasks write into their output folder. */
export const outputNames = { still: 'still.png', sound: 'sound.wav', playback: 'playback', cover: 'cover' } as const

function avTasks(av: Av) {
  const outputIn = (folder: string, name: keyof typeof outputNames) => ({ filename: join(folder, outputNames[name]) })
  return {
    probe: ({ file }: { file: AvFile }, { signal }: Progress): Promise<AvInfo> => av.probe(file, signal),
    frames: ({ file, ...options }: Options<'frames'>, { signal, emit }: Progress): Promise<CutFrame[]> =>
      av.frames(file, { ...options, signal, onProgress: (progress) => void emit(progress) }),
    still: ({ file, folder, ...options }: Options<'still'>, { signal }: Progress): Promise<boolean> =>
      av.still(file, { ...options, ...outputIn(folder, 'still'), signal }),
    sound: ({ file, folder, ...options }: Options<'sound'>, { signal }: Progress): Promise<number> =>
      av.sound(file, { ...options, ...outputIn(folder, 'sound'), signal }),
    playback: ({ file, folder, ...options }: Options<'playback'>, { signal, emit }: Progress): Promise<void> => {
      const onProgress = (progress: number) => void emit(progress)
      return av.playback(file, { ...options, ...outputIn(folder, 'playback'), signal, onProgress })
    },
    subtitles: ({ file }: { file: AvFile }, { signal }: Progress) => av.subtitles(file, signal),
    cover: ({ file, folder }: Options<'cover'>, { signal }: Progress): Promise<boolean> =>
      av.cover(file, { ...outputIn(folder, 'cover'), signal }),
  }
}

export type AvTasks = ReturnType<typeof avTasks>
