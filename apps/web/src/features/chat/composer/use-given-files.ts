import { type ClipboardEvent, type DragEvent, useState } from 'react'
import { filesOf } from '../conversation/choose-pictures.ts'
import type { FileUploads } from './use-file-uploads.ts'
import type { ChosenPictures } from './use-pictures.ts'

/** Handles dropped or pasted files: pictures go to the model; everything else becomes an item of the memory first. */
export function useGivenFiles({
  files,
  pictures,
}: {
  files: Pick<FileUploads, 'isOffered' | 'add'>
  pictures: Pick<ChosenPictures, 'add'>
}) {
  const [isDropTarget, setIsDropTarget] = useState(false)

  const take = (fileList: File[]) => {
    const isForMemory = ({ type }: File) => files.isOffered && !type.startsWith('image/')
    const others = fileList.filter(isForMemory)
    if (others.length > 0) files.add(others)
    if (others.length < fileList.length) pictures.add(fileList.filter((file) => !isForMemory(file)))
  }

  return {
    isDropTarget,
    dropTarget: {
      onDragOver(event: DragEvent) {
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setIsDropTarget(true)
      },
      onDragLeave: () => setIsDropTarget(false),
      onDrop(event: DragEvent) {
        setIsDropTarget(false)
        const dropped = filesOf(event.dataTransfer)
        if (dropped.length === 0) return
        event.preventDefault()
        take(dropped)
      },
    },
    handlePaste(event: ClipboardEvent<HTMLTextAreaElement>) {
      const pasted = filesOf(event.clipboardData)
      // What is copied from a text program often comes as a picture, too: its text is meant.
      if (pasted.length === 0 || event.clipboardData.getData('text/plain') !== '') return
      event.preventDefault()
      take(pasted)
    },
  }
}
