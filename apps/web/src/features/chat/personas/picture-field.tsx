import { ImagePlus, X } from 'lucide-react'
import { type ChangeEvent, useId, useRef, useState } from 'react'
import { useText } from '../../../lib/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { PersonaPicture } from './persona-picture.tsx'
import { smallPicture } from './small-picture.ts'

/** The picture of a persona: chosen from the device, or taken away. */
export function PictureField({ name, picture, onChange }: PictureFieldProps) {
  const text = useText('personas')
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [isUnreadable, setIsUnreadable] = useState(false)
  const choose = async (event: ChangeEvent<HTMLInputElement>) => {
    const [file] = event.target.files ?? []
    event.target.value = ''
    if (file === undefined) return
    try {
      onChange(await smallPicture(file))
      setIsUnreadable(false)
    } catch (error) {
      console.warn('A picture could not be read', error)
      setIsUnreadable(true)
    }
  }
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex items-center gap-3">
        <PersonaPicture persona={{ name, picture }} size="lg" />
        <Button
          size="sm"
          icon={<ImagePlus aria-hidden />}
          aria-describedby={isUnreadable ? id : undefined}
          onClick={() => input.current?.click()}
        >
          {text('choosePicture')}
        </Button>
        {picture !== null && (
          <IconButton size="sm" name={text('removePicture')} icon={<X aria-hidden />} onClick={() => onChange(null)} />
        )}
        <input
          ref={input}
          type="file"
          accept="image/*"
          aria-label={text('choosePicture')}
          tabIndex={-1}
          onChange={(event) => void choose(event)}
          className="sr-only"
        />
      </div>
      {isUnreadable && (
        <p id={id} role="alert" className="text-13 text-danger-text">
          {text('pictureUnreadable')}
        </p>
      )}
    </div>
  )
}

type PictureFieldProps = { name: string; picture: string | null; onChange: (picture: string | null) => void }
