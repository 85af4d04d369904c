import type { FileFormat, MediaSort, MediaType } from '@mira/shared'
import { describe, expect, test } from 'vitest'
import { type FileQuestion, readFileQuestion } from './file-reading.ts'

const read = (text: string) =>
  readFileQuestion(text, { now: new Date('2026-11-30T12:00:00Z'), timeZone: 'Europe/Berlin', language: 'en' })

interface Expected {
  wish?: FileQuestion['wish']
  type?: MediaType | null
  format?: FileFormat
  topic?: string
  /** First day. */
  from?: string
  sort?: MediaSort
  count?: number
}

const image = { type: 'image' } as const
const pdf = { type: 'document', format: 'pdf' } as const

describe('a question about files', () => {
  // examples and tests of other assistants, from public repositories
  test.each<[string, Expected]>([
    ['Show me photos of cats and dogs', { ...image, topic: 'cats and dogs' }],
    ['I want to see all blue images.', { ...image, topic: 'blue' }],
    ['Show me photos taken in Delhi.', { ...image, topic: 'Delhi' }],
    ['Find beach photos from last summer', { ...image, topic: 'beach', from: '2026-06-01' }],
    ['Pictures from San Francisco taken in August', { ...image, topic: 'San Francisco', from: '2026-08-01' }],
    ['Do I have any blurry baby pictures?', { ...image, topic: 'blurry baby' }],
    ['Show me the latest stroller image.', { ...image, topic: 'stroller', sort: 'newest', count: 1 }],
    ['Show me images that contain documents.', { ...image, topic: 'documents' }],
    ['show me all my screenshots of code from last week', { ...image, topic: 'screenshots code', from: '2026-11-23' }],
    ["Photos of my daughter's first birthday party", { ...image, topic: "daughter's first birthday party" }],
    ['how many photos do I have in total?', { ...image, wish: 'count' }],
    ['open my last photo', { ...image, sort: 'newest', count: 1 }],
    ['Find large files', { type: null, sort: 'largest' }],
    ['What did I upload last week?', { type: null, from: '2026-11-23' }],
    ['did I upload photos yesterday?', { ...image, from: '2026-11-29' }],
    ['¿Subí fotos ayer?', { ...image, from: '2026-11-29' }],
    ['¿Qué tamaño tienen mis vídeos?', { type: 'video', wish: 'size' }],
    ['Quelle taille font mes vidéos ?', { type: 'video', wish: 'size' }],
    ['Find the video where someone drinks milk', { type: 'video', topic: 'someone drinks milk' }],
    ['Show me all PDF files', pdf],
    ['PDFs about refunds from 2024', { ...pdf, topic: 'refunds', from: '2024-01-01' }],
    [
      'find spreadsheets mentioning projected revenue',
      { type: 'document', format: 'xlsx', topic: 'projected revenue' },
    ],
    ['Which document mentions Mars?', { type: 'document', topic: 'Mars' }],
    ['do i have any notes about taxes', { type: null, topic: 'taxes' }],
    ['Zeig mir Fotos vom Meer', { ...image, topic: 'Meer' }],
    ['Zeige mir Bilder, auf denen Thorsten zu sehen ist', { ...image, topic: 'Thorsten' }],
    ['Zeige mir alle Geburtstagsfotos', { ...image, topic: 'Geburtstag' }],
    ['Welche Fotos habe ich in Paris gemacht?', { ...image, topic: 'Paris' }],
    ['Haben wir Fotos vom Gardasee?', { ...image, topic: 'Gardasee' }],
    ['Ich brauche alle PDF-Dateien mit Esslingen.', { ...pdf, topic: 'Esslingen' }],
    ['Wie viele Dokumente gibt es zum Hausverbot?', { wish: 'count', type: 'document', topic: 'Hausverbot' }],
    ['montre moi des photos de Clio 5 rouge', { ...image, topic: 'Clio 5 rouge' }],
    ['Recherche les photos prises à la montagne', { ...image, topic: 'montagne' }],
    ['les photos de plage de cet été', { ...image, topic: 'plage', from: '2026-06-01' }],
    ["trouve mes documents d'identité", { type: 'document', topic: 'identité' }],
    ["Cherche les documents Word contenant 'rapport'", { type: 'document', format: 'docx', topic: 'rapport' }],
    ['fotos de la playa', { ...image, topic: 'playa' }],
    ['¿Cuáles son mis archivos más recientes?', { type: null, sort: 'newest' }],
    ['Muéstrame mis hojas de cálculo', { type: 'document', format: 'xlsx' }],
    ['Busca archivos que contengan "proyecto"', { type: null, topic: 'proyecto' }],
    ['mis notas sobre IA del mes pasado', { type: null, topic: 'IA', from: '2026-10-01' }],
    // words of a topic are kept, whatever they mean elsewhere
    ['photos of my son', { ...image, topic: 'son' }],
    ['how many photos of my son do I have?', { ...image, wish: 'count', topic: 'son' }],
    ['pictures of my son and daughter', { ...image, topic: 'son and daughter' }],
    ['documents about the sale', { type: 'document', topic: 'sale' }],
    ['how many photos of the show do I have?', { ...image, wish: 'count', topic: 'show' }],
    ['pictures of the old library', { ...image, topic: 'old library' }],
    ['Notizen zum Text', { type: null, topic: 'Text' }],
    ['notes about total', { type: null, topic: 'total' }],
    ['photos de la prise', { ...image, topic: 'prise' }],
    ['notes on The Who', { type: null, topic: 'Who' }],
    ['New York photos', { ...image, topic: 'New York' }],
    ['photos taken in New Zealand', { ...image, topic: 'New Zealand' }],
    ['how big are my videos of Leo?', { type: 'video', topic: 'Leo' }],
    ['photos of Ella', { ...image, topic: 'Ella' }],
    ['Fotos meiner Tochter', { ...image, topic: 'Tochter' }],
    // courtesies and contractions
    ["what's my latest photo?", { ...image, sort: 'newest', count: 1 }],
    ["What's in my notes about Leo?", { type: null, topic: 'Leo' }],
    ["I'd like to see my photos", image],
    ['can I see my photos from Rome?', { ...image, topic: 'Rome' }],
    ['have you got photos of Rome?', { ...image, topic: 'Rome' }],
    ['Mira, show me photos of Rome', { ...image, topic: 'Rome' }],
    ['last five photos please', { ...image, sort: 'newest', count: 5 }],
    ['Kannst du mir Fotos von Anna zeigen?', { ...image, topic: 'Anna' }],
    ['ich möchte die Bilder von gestern sehen', { ...image, from: '2026-11-29' }],
    ['puedes mostrarme mis últimas fotos?', { ...image, sort: 'newest' }],
    ['necesito el PDF del contrato', { ...pdf, topic: 'contrato' }],
    ['peux-tu me montrer mes dernières photos ?', { ...image, sort: 'newest' }],
    ["montre-moi s'il te plaît les photos de maman", { ...image, topic: 'maman' }],
    ["est-ce que j'ai des photos d'Anna ?", { ...image, topic: 'Anna' }],
    // several kinds
    ['show me photos and videos from May', { type: null, from: '2026-05-01' }],
    ['photos or videos from Rome', { type: null, topic: 'Rome' }],
    ['fotos y vídeos de mayo', { type: null, from: '2026-05-01' }],
    ['pdfs and word documents', pdf],
    ['more photos of Anna', { ...image, topic: 'Anna' }],
    // orders and numbers in names
    ['show me pictures of Big Ben', { ...image, topic: 'Big Ben' }],
    ['Premier League videos', { type: 'video', topic: 'Premier League' }],
    ['Bilder vom ersten Schultag', { ...image, topic: 'ersten Schultag' }],
    ['iPhone 15 photos', { ...image, topic: 'iPhone 15' }],
    ['show me 100 photos', { ...image, count: 20 }],
    // topic boundaries
    ['recently added photos', { ...image, sort: 'added' }],
    ['zeig mir die Excel-Tabelle', { type: 'document', format: 'xlsx' }],
    ['Schwarz-weiß-Fotos', { ...image, topic: 'Schwarz-weiß' }],
    ['photos between March and May 2024', { ...image, from: '2024-03-01' }],
    ['was für Dokumente habe ich?', { type: 'document' }],
    ['Kontoauszüge als PDF', { ...pdf, topic: 'Kontoauszüge' }],
    ['are any of my photos from Rome?', { ...image, topic: 'Rome' }],
    ['does any document mention Allianz?', { type: 'document', topic: 'Allianz' }],
    ['did I upload anything last week?', { type: null, from: '2026-11-23' }],
    // as people type
    ['cuantas fotos tengo', { ...image, wish: 'count' }],
    ['mis ultimos documentos', { type: 'document', sort: 'newest' }],
    ['archivos mas grandes', { type: null, sort: 'largest' }],
    ['cuanto espacio ocupan mis videos', { type: 'video', wish: 'size' }],
    ['wie viele fotos hab ich', { ...image, wish: 'count' }],
    ['was hab ich gestern hochgeladen', { type: null, from: '2026-11-29' }],
    // the oldest
    ["what's my oldest video?", { type: 'video', sort: 'oldest', count: 1 }],
    ['what was my first photo?', { ...image, sort: 'oldest', count: 1 }],
    ['Was ist mein ältestes Video?', { type: 'video', sort: 'oldest', count: 1 }],
    ['Was war mein erstes Foto?', { ...image, sort: 'oldest', count: 1 }],
    ['Welches war mein frühestes Foto?', { ...image, sort: 'oldest', count: 1 }],
    ['¿Cuál es mi vídeo más antiguo?', { type: 'video', sort: 'oldest', count: 1 }],
    ['¿Cuál fue mi primera foto?', { ...image, sort: 'oldest', count: 1 }],
    ['Quelle est ma plus ancienne vidéo ?', { type: 'video', sort: 'oldest', count: 1 }],
    ['Quelle était ma première photo ?', { ...image, sort: 'oldest', count: 1 }],
    // similar to requests for a new picture
    ['Fotos von Anna beim Malen', { ...image, topic: 'Anna beim Malen' }],
    ['zeig mir bilder vom zeichnen', { ...image, topic: 'zeichnen' }],
    ['fotos de ana aprendiendo a dibujar', { ...image, topic: 'ana aprendiendo a dibujar' }],
    ['photos de léa en train de dessiner', { ...image, topic: 'léa en train de dessiner' }],
    ['find photos of sardines in oil', { ...image, topic: 'sardines in oil' }],
    ['photos of houses in the style of gaudí', { ...image, topic: 'houses in the style of gaudí' }],
    // other verbs for showing
    ['puedes traerme las fotos de roma', { ...image, topic: 'roma' }],
    ['puedes pasarme las fotos de roma', { ...image, topic: 'roma' }],
    ['puedes recuperar las fotos de roma', { ...image, topic: 'roma' }],
    ['puedes sacarme las fotos de roma', { ...image, topic: 'roma' }],
    ['puedes decirme cuántos pdf tengo', { ...pdf, wish: 'count' }],
    ['puedes contarme cuántas fotos tengo', { ...image, wish: 'count' }],
    ['tu peux récupérer les photos de rome', { ...image, topic: 'rome' }],
    ['tu peux remontrer les photos de rome', { ...image, topic: 'rome' }],
    ['tu peux me sortir les photos de rome', { ...image, topic: 'rome' }],
    ['tu peux me faire voir les photos de rome', { ...image, topic: 'rome' }],
    ['tu peux compter mes photos', { ...image, wish: 'count' }],
    // the user's own films and recordings
    ['films of Leo', { type: 'video', topic: 'Leo' }],
    ['films from last summer', { type: 'video', from: '2026-06-01' }],
    ['filme vom geburtstag', { type: 'video', topic: 'geburtstag' }],
    ['urlaubsfilme 2023', { type: 'video', topic: 'urlaub', from: '2023-01-01' }],
    ['película de la boda', { type: 'video', topic: 'boda' }],
    ['le film du mariage de luc', { type: 'video', topic: 'mariage de luc' }],
    ['lieder von oma', { type: 'audio', topic: 'oma' }],
    ['songs i uploaded last week', { type: 'audio', from: '2026-11-23' }],
    // words of rankings and programs
    ['show me top photos from 2023', { ...image, topic: 'top', from: '2023-01-01' }],
    ['zeig mir die besten fotos aus rom', { ...image, topic: 'besten rom' }],
    ['las mejores fotos de la boda', { ...image, topic: 'mejores boda' }],
    ['les meilleures photos du mariage', { ...image, topic: 'meilleures mariage' }],
    ['find the best buy receipt pdf', { ...pdf, topic: 'best buy receipt' }],
    ['wedding best man photos', { ...image, topic: 'wedding best man' }],
    ['files about docker', { topic: 'docker' }],
    ['show me the files about the new windows', { topic: 'new windows' }],
    ['find the file about terminal 2', { topic: 'terminal 2' }],
    ['files about java trip 2019', { topic: 'java trip', from: '2019-01-01' }],
  ])('%s', (text, { wish, type = null, format, topic, from, sort, count = 10 }) => {
    const question = read(text)
    expect(question).toMatchObject({
      wish: wish ?? (topic === undefined ? 'list' : 'find'),
      ...{ type, topic: topic ?? null, sort: sort ?? null, count, isSure: true },
    })
    expect(question?.formats?.[0]).toBe(format)
    const firstDay = question?.days?.from.toLocaleDateString('sv', { timeZone: 'Europe/Berlin' })
    expect(firstDay).toBe(from)
  })

  test.each([
    ['what did I upload in 2019?', true],
    ['files I added yesterday', true],
    ['los archivos que guardé ayer', true],
    ['PDFs about taxes uploaded yesterday', true],
    ['documents about value added tax from March 2024', false],
    ['photos of the cat we saved in 2019', false],
    ['muéstrame los PDF con el importe de la reforma de 2024', false],
    ['mes documents sur la voiture importée en 2019', false],
    ['fotos de cuando subí al Teide en 2019', false],
    ['photos from 2019', false],
  ])('distinguishes the time added from the time taken: %s', (text, isByTimeAdded) => {
    expect(read(text)).toMatchObject({ isByTimeAdded, days: { from: expect.any(Date) } })
  })

  test.each([
    'How do I take better photos?',
    'Delete all my photos',
    'edit this photo to replace the background',
    'Lösch bitte alle meine Fotos.',
    'What documents do I need for a passport?',
    '¿Qué documentos tengo que llevar?',
    'Which film won the Academy Award for Best Picture in 2020?',
    'Quelles photos donnent les meilleurs résultats ?',
    'Mueve la foto 3 a documentos personales',
    'Résumer mes documents récents',
    'I want to edit a video',
    "I'd like to delete a photo",
    'let me upload a file',
    'show me how to upload a file',
    'ich möchte ein Foto bearbeiten',
    'zeig mir, wie man ein Video schneidet',
    'quiero borrar mis fotos',
    'enséñame a editar vídeos',
    'je veux modifier une photo',
    'añade una nota',
    'prends une note',
    'note that I parked on level 3',
    'do I have to send the document?',
    'give me a summary of my last document',
    'dame ideas para una presentación',
    'do I have a presentation tomorrow?',
    'habe ich morgen eine Präsentation?',
    'how big is my apartment?',
    'how much space do I need for a couch?',
    'how much space do I need for 1000 photos?',
    'how much space do photos take on an iPhone?',
    'how much space do my photos take on an iPhone?',
    'wie viel Platz brauchen Fotos auf dem Handy?',
    '¿cuánto espacio ocupan las fotos en un iPhone?',
    'thanks for the photos!',
    'great photos of the beach!',
    'Anna sent me photos of the beach',
    'the photos are on the NAS',
    'die Fotos sind auf dem NAS',
    "j'ai perdu mes notes",
    'tengo una nota mala',
    'and the videos?',
    'nur die Videos',
    'best movies of 2023',
    'top 10 movies',
    'die besten filme 2023',
    'les meilleurs films de 2023',
    'song about rain',
    'image of a cat in watercolor',
    'bild von einem drachen malen',
    'list all files in a directory in bash',
    'find files larger than 1gb linux',
    'que es un pdf',
    'list files in python',
    'show hidden files in terminal',
    "quelle était la musique de l'été 2010",
    'quel était le film de 2019',
    'was waren die filme von 2019',
    'cuál fue la película del año 2010',
    'was war der letzte film',
    'quel fut le premier film',
    'cuándo se subió el primer vídeo',
    'quand a été ajouté le premier émoji',
    'puedes resumir mis notas',
    'puedes leer pdfs',
    'puedes dibujar una imagen de un gato',
    'tu peux dessiner une image',
    'tu peux lire les pdf',
  ])('is something else: %s', (text) => {
    expect(read(text)?.isSure ?? false).toBe(false)
  })

  test.each<[string, Pick<FileQuestion, 'type' | 'sort' | 'topic'>]>([
    ['when did I last upload a video?', { type: 'video', sort: 'added', topic: null }],
    ['hey Mira, when did I upload my last spreadsheet please?', { type: 'document', sort: 'added', topic: null }],
    ['when was the last time I uploaded anything?', { type: null, sort: 'added', topic: null }],
    ['when was my last upload?', { type: null, sort: 'added', topic: null }],
    ['when was my last photo taken?', { type: 'image', sort: 'taken', topic: null }],
    ['when was my last voice memo recorded?', { type: 'audio', sort: 'taken', topic: null }],
    ['when was my latest picture?', { type: 'image', sort: 'taken', topic: null }],
    ['when did I last take a picture of Anna?', { type: 'image', sort: 'taken', topic: 'Anna' }],
    ['when did I add the lease?', { type: null, sort: null, topic: 'lease' }],
    ['when was the lease added?', { type: null, sort: null, topic: 'lease' }],
    ['¿Cuándo subí un vídeo por última vez?', { type: 'video', sort: 'added', topic: null }],
    ['¿Cuándo fue la última vez que subí un vídeo?', { type: 'video', sort: 'added', topic: null }],
    ['¿Cuándo hice la última foto?', { type: 'image', sort: 'taken', topic: null }],
    ['¿De cuándo es mi última foto?', { type: 'image', sort: 'taken', topic: null }],
    ['¿Cuándo añadí el contrato?', { type: null, sort: null, topic: 'contrato' }],
    ['Quand ai-je importé une vidéo pour la dernière fois ?', { type: 'video', sort: 'added', topic: null }],
    ['Quand est-ce que j’ai ajouté ma dernière vidéo ?', { type: 'video', sort: 'added', topic: null }],
    ['Quand ma dernière photo a-t-elle été prise ?', { type: 'image', sort: 'taken', topic: null }],
    ['De quand date ma dernière photo ?', { type: 'image', sort: 'taken', topic: null }],
    ['Quand ai-je ajouté le bail ?', { type: null, sort: null, topic: 'bail' }],
    ['Wann habe ich das letzte Mal ein Video hochgeladen?', { type: 'video', sort: 'added', topic: null }],
    ['Wann war das letzte Mal, dass ich ein Video hochgeladen habe?', { type: 'video', sort: 'added', topic: null }],
    ['Wann wurde mein letztes Foto aufgenommen?', { type: 'image', sort: 'taken', topic: null }],
    ['Von wann ist mein letztes Foto?', { type: 'image', sort: 'taken', topic: null }],
    ['Wann habe ich den Mietvertrag hinzugefügt?', { type: null, sort: null, topic: 'Mietvertrag' }],
    ['when did I add the photo of my first birthday?', { type: 'image', sort: null, topic: 'first birthday' }],
    ['when was my first photo of Anna uploaded?', { type: 'image', sort: 'oldest', topic: 'Anna' }],
  ])('asks for a date: %s', (text, expected) => {
    expect(read(text)).toMatchObject({ wish: 'date', isSure: true, ...expected })
  })

  test.each<[string, MediaType | null, 'added' | 'taken']>([
    ['when was my oldest video recorded?', 'video', 'taken'],
    ['when was my earliest recording?', 'audio', 'taken'],
    ['when did I first take a photo?', 'image', 'taken'],
    ['when did I first upload a video?', 'video', 'added'],
    ['when was the first time I uploaded a PDF?', 'document', 'added'],
    ['when was my oldest PDF added?', 'document', 'added'],
    ['when was my first upload?', null, 'added'],
    ['¿De cuándo es mi foto más antigua?', 'image', 'taken'],
    ['¿Cuándo subí un vídeo por primera vez?', 'video', 'added'],
    ['¿Cuándo fue la primera vez que subí un vídeo?', 'video', 'added'],
    ['Quand ma première photo a-t-elle été prise ?', 'image', 'taken'],
    ['De quand date ma plus ancienne vidéo ?', 'video', 'taken'],
    ['À quand remonte ma première photo ?', 'image', 'taken'],
    ['Quand ai-je ajouté une vidéo pour la première fois ?', 'video', 'added'],
    ['Wann wurde mein erstes Foto aufgenommen?', 'image', 'taken'],
    ['Von wann ist mein ältestes Video?', 'video', 'taken'],
    ['Wann habe ich zum ersten Mal ein Video hochgeladen?', 'video', 'added'],
    ['Wann war das erste Mal, dass ich ein Video hochgeladen habe?', 'video', 'added'],
    ['Wann habe ich mein erstes Foto hochgeladen?', 'image', 'added'],
  ])('asks for the date of the oldest item: %s', (text, type, time) => {
    const isByTimeAdded = time === 'added'
    expect(read(text)).toMatchObject({ wish: 'date', isSure: true, sort: 'oldest', topic: null, type, isByTimeAdded })
  })

  test.each([
    'when did I last see Anna?',
    'when did I last watch a video?',
    'when is my dentist appointment?',
    'when was the last time I paid the rent?',
    'when did I add milk to my shopping list?',
    'when did I take the bus?',
    'when did I save 500 euros?',
    'when did I first see Anna?',
    'when was the first film made?',
    'when was the first photo taken?',
    'when was the first film shot?',
    'when was the first video uploaded to YouTube?',
    'when was the first photo of Einstein taken?',
    'when was the first youtube video uploaded',
    'when was the first emoji added',
    'wann wurde das erste video auf youtube hochgeladen',
    'when is my first presentation?',
    'when was the photo of Einstein taken?',
    'when was the last film by Kubrick shot?',
    'when is my last film night?',
    'when will my video be uploaded?',
    '¿Cuándo vi a Ana por última vez?',
    '¿Cuándo fue mi última cita?',
    '¿Cuándo tomé la pastilla?',
    'Quand ai-je vu Anna pour la dernière fois ?',
    'Quand ai-je pris le bus ?',
    'Wann habe ich Anna zuletzt gesehen?',
    'Wann habe ich die Steuererklärung gemacht?',
    'Wann war mein letzter Zahnarzttermin?',
    '¿Cuándo fue mi primera cita?',
    'Quand ai-je vu Anna pour la première fois ?',
    'Wann war mein erster Zahnarzttermin?',
  ])('asks for the date of something else: %s', (text) => {
    expect(read(text)).toBeNull()
  })

  test.each([
    ['photos tagged holiday from 2023', 'holiday'],
    ['photos tagged with holiday', 'holiday'],
    ['photos I was tagged in', null],
  ])('reads the tag of: %s', (text, tag) => {
    expect(read(text)?.tag).toBe(tag)
  })
})
