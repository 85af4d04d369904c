import { ImagePlus } from 'lucide-react'
import { useRef } from 'react'
import { useText } from '../../../lib/i18n.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { acceptedPictures } from './pictures.ts'

/** The button that opens the browser's choice of pictures. */
export function PicturePicker({ onChoose }: { onChoose: (files: File[]) => void }) {
  const text = useText('chat')
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        accept={acceptedPictures}
        multiple
        hidden
        aria-label={text('pictures.add')}
        onChange={({ target }) => {
          onChoose([...(target.files ?? [])])
          // So that the same file can be chosen again.
          target.value = ''
        }}
      />
      <IconButton name={text('pictures.add')} icon={<ImagePlus aria-hidden />} onClick={() => input.current?.click()} />
    </>
  )
}
