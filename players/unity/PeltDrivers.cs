// Plays the rules of a character that `pelt distil` made (hero.glb with hero.drivers.json) in Unity. Put it on the imported
// character's root, give it the .drivers.json as a TextAsset; it runs after animation, in LateUpdate.
// Importers mirror glTF's right-handed space, glTFast and UniVRM 1.0 along X, UniGLTF and UniVRM 0.x along Z: say which.
using System;
using System.Collections.Generic;
using UnityEngine;

public class PeltDrivers : MonoBehaviour
{
    public enum Mirror { X, Z }
    public TextAsset rules;
    public Mirror mirror = Mirror.X;

    [Serializable] class JointRule { public string name, parent; public float[] rest; }
    [Serializable] class HelperRule { public string name, rule; public int joint; public float fraction; public float[] axis, push; }
    [Serializable] class DriveRule { public int joint; public float[] axis; public float from, to; }
    [Serializable] class TermRule { public float gain; public int[] drives; }
    [Serializable] class PlaceRule { public string name; public int target; }
    [Serializable] class CorrectiveRule { public string name; public float low, high; public TermRule[] terms; public PlaceRule[] places; }
    [Serializable] class Rules { public JointRule[] joints; public HelperRule[] helpers; public DriveRule[] drives; public CorrectiveRule[] correctives; }

    class Joint { public Transform bone, parent; public Quaternion rest, turn; public Vector3 at, r; }
    Rules read;
    Joint[] joints;
    Transform[] helpers;
    float[] drives;
    readonly Dictionary<string, List<SkinnedMeshRenderer>> shown = new Dictionary<string, List<SkinnedMeshRenderer>>();

    void Awake()
    {
        read = JsonUtility.FromJson<Rules>(rules.text);
        var byName = new Dictionary<string, Transform>();
        foreach (Transform t in GetComponentsInChildren<Transform>(true)) byName[t.name] = t;
        joints = Array.ConvertAll(read.joints, j => new Joint {
            bone = byName[j.name], rest = Turn(j.rest),
            parent = string.IsNullOrEmpty(j.parent) ? transform : byName[j.parent] });
        helpers = Array.ConvertAll(read.helpers, h => byName[h.name]);
        drives = new float[read.drives.Length];
        foreach (CorrectiveRule corrective in read.correctives)
            foreach (PlaceRule place in corrective.places)
                if (!shown.ContainsKey(place.name)) // a mesh of several materials may come as children of its node
                    shown[place.name] = new List<SkinnedMeshRenderer>(byName[place.name].GetComponentsInChildren<SkinnedMeshRenderer>(true));
    }

    void LateUpdate()
    {
        foreach (Joint joint in joints) Measure(joint);
        for (int i = 0; i < helpers.Length; i++)
        {
            HelperRule rule = read.helpers[i];
            Joint joint = joints[rule.joint];
            Quaternion whole = rule.rule == "twist" ? Twist(joint.turn, Spin(rule.axis)) : joint.turn;
            helpers[i].localRotation = Quaternion.Slerp(Quaternion.identity, whole, rule.fraction) * joint.rest;
            helpers[i].localPosition = joint.at + Push(rule.push) * joint.r.magnitude;
        }
        for (int i = 0; i < drives.Length; i++) drives[i] = Weigh(read.drives[i], joints[read.drives[i].joint].r);
        foreach (CorrectiveRule corrective in read.correctives)
        {
            float weight = 0;
            foreach (TermRule term in corrective.terms)
            {
                float part = term.gain;
                foreach (int drive in term.drives) part *= drives[drive];
                weight += part;
            }
            weight = Mathf.Clamp(weight, corrective.low, corrective.high);
            foreach (PlaceRule place in corrective.places)
                foreach (SkinnedMeshRenderer mesh in shown[place.name])
                    mesh.SetBlendShapeWeight(place.target, weight * mesh.sharedMesh.GetBlendShapeFrameWeight(place.target, 0));
        }
    }

    // The joint's place and turn against its parent joint.
    static void Measure(Joint joint)
    {
        Quaternion q = joint.bone.localRotation;
        joint.at = joint.bone.localPosition;
        for (Transform up = joint.bone.parent; up != null && up != joint.parent; up = up.parent)
        {
            q = up.localRotation * q;
            joint.at = up.localPosition + up.localRotation * Vector3.Scale(up.localScale, joint.at);
        }
        q = q * Quaternion.Inverse(joint.rest);
        joint.turn = q;
        var v = new Vector3(q.x, q.y, q.z);
        float sine = v.magnitude, sign = q.w < 0 ? -1 : 1;
        joint.r = v * (sign * (sine > 1e-6f ? 2 * Mathf.Atan2(sine, sign * q.w) / sine : 2));
    }

    static Quaternion Twist(Quaternion q, Vector3 axis)
    {
        Vector3 along = axis * Vector3.Dot(new Vector3(q.x, q.y, q.z), axis);
        return Quaternion.Normalize(new Quaternion(along.x, along.y, along.z, q.w));
    }

    float Weigh(DriveRule drive, Vector3 r)
    {
        return Mathf.Clamp01((Vector3.Dot(r, Spin(drive.axis)) - drive.from) / (drive.to - drive.from));
    }

    // Through the mirror: a place changes along the axis, a turn about the two others.
    Vector3 Push(float[] v) { return v == null || v.Length < 3 ? Vector3.zero : mirror == Mirror.X ? new Vector3(-v[0], v[1], v[2]) : new Vector3(v[0], v[1], -v[2]); }
    Vector3 Spin(float[] v) { return mirror == Mirror.X ? new Vector3(v[0], -v[1], -v[2]) : new Vector3(-v[0], -v[1], v[2]); }
    Quaternion Turn(float[] q) { Vector3 v = Spin(q); return new Quaternion(v.x, v.y, v.z, q[3]); }
}
