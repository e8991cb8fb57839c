export const FIXTURES: string;
export default function writeFixtures(): void;
