import { AudioLines, FileText, Film, Image } from 'lucide-react'

const icons = { image: Image, video: Film, audio: AudioLines, document: FileText }

/** Icon of a media type; decoration beside its name. */
export function MediaIcon({ type, className }: { type: keyof typeof icons; className?: string }) {
  const Icon = icons[type]
  return <Icon aria-hidden className={className} />
}
