// ---- sounds: a click for each seed that falls, a lower one for a capture; off until somebody asks for them --------------

const PITCH = { sow: 620, bring: 620, carry: 500, reap: 500, take: 190 }; // hertz, by what happens
let speaker = null;

const isHeard = () => document.documentElement.dataset.sound === "on";

function hear(kind) {
  if (!isHeard() || !PITCH[kind] || navigator.userActivation?.hasBeenActive === false) return; // browsers ask for a click first
  speaker ??= new AudioContext();
  const now = speaker.currentTime, tone = speaker.createOscillator(), loudness = speaker.createGain();
  const end = now + (kind === "take" ? 0.2 : 0.06);
  tone.frequency.value = PITCH[kind];
  loudness.gain.setValueAtTime(0.15, now);
  loudness.gain.exponentialRampToValueAtTime(0.001, end);
  tone.connect(loudness).connect(speaker.destination);
  tone.start(now);
  tone.stop(end);
}

function toggleSound(button) {
  document.documentElement.dataset.sound = isHeard() ? "off" : "on";
  button.setAttribute("aria-pressed", isHeard());
  hear("sow");
}
